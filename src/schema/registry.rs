//! Resources, anchors and references: JSON Schema 2020-12 Core §8 and §9, and what the older drafts
//! have in their place. Nothing is ever fetched.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use fluent_uri::{Iri, IriRef};

use super::draft::{Draft, Holds, holds};
use super::memory::PairHashing;
use super::metaschemas;
use crate::json::Value;

/// The base of a schema without an id of its own.
const DEFAULT_BASE: &str = "json-schema:///";

/// Bytes of a resource's URI: thousands of resources may share one long base.
const MAX_URI: usize = 2_000;

pub(super) type ResourceId = u32;

/// A schema resource: a part of a document with a base URI and anchors of its own.
pub(super) struct Resource<'d> {
    base: String,
    pub(super) root: Value<'d>,
    pub(super) draft: Draft,
    anchors: HashMap<&'d str, Anchor<'d>>,
    /// 2019-09: `$recursiveAnchor` is true at the root.
    pub(super) recursive: bool,
    /// The resource that encloses this one in its document.
    parent: Option<ResourceId>,
}

#[derive(Clone, Copy)]
struct Anchor<'d> {
    value: Value<'d>,
    dynamic: bool,
}

/// What a reference leads to.
pub(super) struct Target<'d> {
    pub(super) value: Value<'d>,
    pub(super) resource: ResourceId,
    /// The name, where the fragment is that of a `$dynamicAnchor`.
    pub(super) dynamic_anchor: Option<&'d str>,
}

/// The resources of the schema's document and of the built-in ones it refers to.
#[derive(Default)]
pub(super) struct Registry<'d> {
    resources: Vec<Resource<'d>>,
    by_uri: HashMap<String, ResourceId>,
    /// Of each document, by its address: its resources, in document order.
    by_document: HashMap<usize, Vec<ResourceId>, PairHashing>,
    faults: Vec<(Value<'d>, &'static str, &'static str)>,
    /// Nodes of the first document where keywords hold subschemas.
    known: HashSet<u32, PairHashing>,
}

fn address(value: Value<'_>) -> usize {
    std::ptr::from_ref(value.document()).addr()
}

/// The part before the fragment, and the fragment.
fn split(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

/// The absolute URI, without its fragment, that `reference` means in a resource with that base.
fn resolve_uri(base: &str, reference: &str) -> Option<String> {
    let (reference, _) = split(reference);
    if reference.is_empty() {
        return Some(base.to_owned());
    }
    let base = Iri::parse(base).ok()?;
    let resolved = IriRef::parse(reference).ok()?.resolve_against(&base).ok()?;
    Some(resolved.into_string())
}

impl<'d> Registry<'d> {
    /// Registers a document's resources: `root` and all subschemas in it that have an id.
    pub(super) fn add(&mut self, root: Value<'d>, draft: Draft) -> ResourceId {
        let id = self.add_resource(DEFAULT_BASE.to_owned(), root, draft, None);
        self.walk(root, id);
        // An id at the root renamed the resource; its first base is not known by itself.
        id
    }

    fn add_resource(
        &mut self,
        base: String,
        root: Value<'d>,
        draft: Draft,
        parent: Option<ResourceId>,
    ) -> ResourceId {
        let id = self.resources.len() as ResourceId;
        let recursive = draft == Draft::Draft201909
            && root.get("$recursiveAnchor").and_then(Value::as_bool) == Some(true);
        let anchors = HashMap::new();
        self.resources.push(Resource { base, root, draft, anchors, recursive, parent });
        self.by_document.entry(address(root)).or_default().push(id);
        id
    }

    /// Names `value` and all subschemas in it. Depth is bounded by the reader's.
    fn walk(&mut self, value: Value<'d>, enclosing: ResourceId) {
        if enclosing == 0 || std::ptr::eq(value.document(), self.resource(0).root.document()) {
            self.known.insert(value.index());
        }
        if !value.is_object() {
            return;
        }
        let resource = self.identify(value, enclosing);
        let draft = self.resource(resource).draft;
        self.add_anchors(value, resource);
        for member in value.members() {
            let Some(holds) = holds(draft, member.name()) else {
                continue;
            };
            for subschema in subschemas(member.value(), holds) {
                self.walk(subschema, resource);
            }
        }
    }

    /// The resource that `value` belongs to: a new one where it has an id.
    fn identify(&mut self, value: Value<'d>, enclosing: ResourceId) -> ResourceId {
        let Resource { root, draft, .. } = *self.resource(enclosing);
        let is_root = root.index() == value.index();
        let mut unknown_dialect = false;
        let draft = match value.get("$schema").and_then(Value::as_str) {
            Some(uri) if !is_root => Draft::of_uri(uri).unwrap_or_else(|| {
                if value.get(draft.id_keyword()).is_some() {
                    unknown_dialect = true;
                }
                draft
            }),
            _ => draft,
        };
        if unknown_dialect {
            let fix = "Name one of the known dialects, or leave $schema out.";
            self.faults.push((value, "has a $schema that is not known here", fix));
        }
        let hidden = draft.ref_hides_siblings() && value.get("$ref").is_some();
        let id = value.get(draft.id_keyword()).and_then(|id| Some((id, id.as_str()?)));
        let Some((id_value, id)) = id.filter(|_| !hidden) else {
            return enclosing;
        };
        let (reference, fragment) = split(id);
        let mut resource = enclosing;
        if !reference.is_empty() {
            let uri = match resolve_uri(&self.resource(enclosing).base, reference) {
                Some(uri) if uri.len() <= MAX_URI => uri,
                Some(_) => {
                    self.faults.push((id_value, "is too long", "Use a shorter URI."));
                    return enclosing;
                }
                None => {
                    self.faults.push((
                        id_value,
                        "is not a URI reference",
                        "Write a URI reference.",
                    ));
                    return enclosing;
                }
            };
            if is_root {
                self.resources[enclosing as usize].base = uri.clone();
            } else {
                resource = self.add_resource(uri.clone(), value, draft, Some(enclosing));
            }
            if self.by_uri.insert(uri, resource).is_some_and(|other| other != resource) {
                self.faults.push((id_value, "is the id of two schemas", "Give each its own."));
            }
        }
        if draft.ref_hides_siblings() && !fragment.is_empty() {
            // Up to draft-07 an id with a fragment is what an anchor is later.
            self.add_anchor(resource, fragment, id_value, value, false);
        }
        resource
    }

    fn add_anchors(&mut self, value: Value<'d>, resource: ResourceId) {
        let draft = self.resource(resource).draft;
        for (keyword, since, dynamic) in
            [("$anchor", Draft::Draft201909, false), ("$dynamicAnchor", Draft::Draft202012, true)]
        {
            if draft >= since
                && let Some(name_value) = value.get(keyword)
                && let Some(name) = name_value.as_str()
            {
                self.add_anchor(resource, name, name_value, value, dynamic);
            }
        }
    }

    fn add_anchor(
        &mut self,
        resource: ResourceId,
        name: &'d str,
        name_value: Value<'d>,
        value: Value<'d>,
        dynamic: bool,
    ) {
        let anchors = &mut self.resources[resource as usize].anchors;
        let former = anchors.insert(name, Anchor { value, dynamic });
        if former.is_some_and(|former| former.value.index() != value.index()) {
            self.faults.push((name_value, "is the anchor of two schemas", "Give each its own."));
        }
    }

    /// Whether keywords lead to this value of the first document, rather than references alone.
    pub(super) fn is_known(&self, value: Value<'d>) -> bool {
        self.known.contains(&value.index())
    }

    pub(super) fn resource(&self, id: ResourceId) -> &Resource<'d> {
        &self.resources[id as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.resources.len()
    }

    /// Ids and anchors that cannot be what they say.
    pub(super) fn take_faults(&mut self) -> Vec<(Value<'d>, &'static str, &'static str)> {
        std::mem::take(&mut self.faults)
    }

    /// The names of a resource's dynamic anchors.
    pub(super) fn dynamic_anchors(&self, id: ResourceId) -> Vec<(&'d str, Value<'d>)> {
        let anchors = self.resource(id).anchors.iter();
        anchors.filter(|(_, anchor)| anchor.dynamic).map(|(name, a)| (*name, a.value)).collect()
    }

    /// The innermost resource around a value of a registered document.
    pub(super) fn resource_of(&self, value: Value<'d>) -> Option<ResourceId> {
        let resources = self.by_document.get(&address(value))?;
        let starts_at = |&id: &ResourceId| self.resource(id).root.index() <= value.index();
        let mut at = *resources[..resources.partition_point(starts_at)].last()?;
        while value.index() >= self.resource(at).root.end_index() {
            at = self.resource(at).parent?;
        }
        Some(at)
    }

    /// Follows a reference that stands in resource `from`.
    pub(super) fn resolve(
        &mut self,
        from: ResourceId,
        reference: &str,
    ) -> Result<Target<'d>, String> {
        let (_, fragment) = split(reference);
        let uri = resolve_uri(&self.resource(from).base, reference)
            .ok_or_else(|| "is not a URI reference".to_owned())?;
        let own = uri == self.resource(from).base;
        let resource = if own { from } else { self.find(&uri)? };
        let fragment = percent_decoded(fragment).ok_or("has a fragment that is not UTF-8")?;
        if fragment.is_empty() {
            let value = self.resource(resource).root;
            return Ok(Target { value, resource, dynamic_anchor: None });
        }
        if let Some(pointer) = fragment.strip_prefix('/') {
            let value = follow_pointer(self.resource(resource).root, pointer)
                .ok_or("leads to nothing in the schema")?;
            let resource = self.resource_of(value).unwrap_or(resource);
            return Ok(Target { value, resource, dynamic_anchor: None });
        }
        let anchors = &self.resource(resource).anchors;
        let (name, anchor) = anchors
            .get_key_value(fragment.as_ref())
            .ok_or("names an anchor that the schema does not have")?;
        let dynamic_anchor = anchor.dynamic.then_some(*name);
        Ok(Target { value: anchor.value, resource, dynamic_anchor })
    }

    fn find(&mut self, uri: &str) -> Result<ResourceId, String> {
        if let Some(&id) = self.by_uri.get(uri) {
            return Ok(id);
        }
        let Some(document) = metaschemas::document(uri) else {
            return Err("leaves the document; nothing is fetched".to_owned());
        };
        let root = document.root();
        let draft = root.get("$schema").and_then(Value::as_str).and_then(Draft::of_uri);
        let id = self.add(root, draft.unwrap_or(Draft::DEFAULT));
        self.by_uri.insert(uri.to_owned(), id);
        Ok(id)
    }
}

/// The subschemas in a keyword's value.
pub(super) fn subschemas<'d>(value: Value<'d>, holds: Holds) -> Vec<Value<'d>> {
    let members = || value.members().map(|member| member.value());
    match holds {
        Holds::OneOrEach if value.is_array() => value.elements().collect(),
        Holds::One | Holds::OneOrEach => vec![value],
        Holds::Each => value.elements().collect(),
        Holds::Members => members().collect(),
        Holds::MembersSaveArrays => members().filter(|value| !value.is_array()).collect(),
    }
}

/// RFC 6901, without the leading slash.
fn follow_pointer<'d>(root: Value<'d>, pointer: &str) -> Option<Value<'d>> {
    pointer.split('/').try_fold(root, |at, token| {
        let name = token.replace("~1", "/").replace("~0", "~");
        if at.is_array() {
            let digits = name.bytes().all(|b| b.is_ascii_digit());
            let canonical = digits && (name == "0" || !name.starts_with('0'));
            canonical.then(|| name.parse().ok()).flatten().and_then(|index| at.element(index))
        } else {
            at.get(&name)
        }
    })
}

fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = |at: usize| (*bytes.get(at)? as char).to_digit(16);
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}
