//! References that lead back to themselves without consuming any data: JSON Schema 2020-12 Core
//! §9.4.1 leaves them undefined, and an undefined check must not become a verdict.

use super::{Body, Schema, SubschemaId};
use crate::json::Value;

/// The keyword value in the schema where such a loop stands, if there is one.
pub(super) fn find<'d>(schema: &Schema<'d>) -> Option<Value<'d>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; schema.subschemas.len()];
    // Depth first with a stack of its own: a chain of references can be as long as the schema.
    let mut stack: Vec<(SubschemaId, Vec<SubschemaId>)> = Vec::new();
    for start in 0..schema.subschemas.len() as SubschemaId {
        if states[start as usize] == State::New {
            states[start as usize] = State::Open;
            stack.push((start, in_place(schema, start)));
        }
        while let Some((id, rest)) = stack.last_mut() {
            let Some(next) = rest.pop() else {
                states[*id as usize] = State::Done;
                stack.pop();
                continue;
            };
            match states[next as usize] {
                State::Done => {}
                State::Open => return Some(schema.subschema(*id).source),
                State::New => {
                    states[next as usize] = State::Open;
                    stack.push((next, in_place(schema, next)));
                }
            }
        }
    }
    None
}

/// The subschemas that a subschema applies to the same value.
fn in_place(schema: &Schema<'_>, id: SubschemaId) -> Vec<SubschemaId> {
    let Body::Keywords(keywords) = &schema.subschema(id).body else {
        return Vec::new();
    };
    let mut targets = Vec::new();
    for keyword in keywords {
        keyword.meaning.for_each_target(|target, in_place| {
            if in_place {
                targets.push(target);
            }
        });
    }
    targets
}
