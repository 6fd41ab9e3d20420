# Draws what growth.sh measured: awk -f benches/plot.awk growth.tsv > docs/growth.svg
#
# Both axes are logarithmic. A curve that is flat at the right is work that grows with its size and no
# faster; at the left the start of the process, which all of it counts with, is shared by few items.

BEGIN {
  FS = "\t"
  panels = 0
  panel("Lines: time for each", "lines", "ns", "lines:verdict;lines-report:compact report;lines-signed:signed receipt;lines-failing:failing, full report", 1)
  panel("Lines: peak memory", "lines", "MiB", "lines:verdict;lines-report:compact report;lines-signed:signed receipt;lines-failing:failing, full report", 0)
  panel("One document: time for each byte", "bytes", "ns", "document:verdict;document-report:report;document-failing:all failing", 1)
  panel("One document: peak memory", "bytes", "MiB", "document:verdict;document-report:report;document-failing:all failing", 0)
  panel("Rules: time for each value", "values of one rule", "ns", "values-exists:exists_in;values-unique:unique;values-sum:sum_equals;values-sums:sum_equals by row;values-lte:lte, dates;values-gte:gte", 1)
  panel("Schemas and rules: time for each", "keywords, rules", "ns", "schema:keyword;rules:rule over 100 rows", 1)
}

function panel(title, x, y, curves, each) {
  panels++
  titles[panels] = title; xs[panels] = x; ys[panels] = y; curves_of[panels] = curves; each_of[panels] = each
}

NR > 1 {
  count[$1]++
  item[$1, count[$1]] = $3
  time[$1, count[$1]] = $5 * 1e9 / $3
  peak[$1, count[$1]] = $9
}

function log10(v) { return log(v) / log(10) }

function floor(v,   i) { i = int(v); return i > v ? i - 1 : i }

# 10^e of a unit in few characters.
function power(e, unit,    k) {
  k = e < 0 ? 0 : e >= 9 ? 3 : int(e / 3)
  if (unit == "ns") return (10 ^ (e - 3 * k)) " " (k == 0 ? "ns" : k == 1 ? "µs" : k == 2 ? "ms" : "s")
  return (10 ^ (e - 3 * k)) (k == 0 ? "" : k == 1 ? " k" : k == 2 ? " M" : " G") (unit == "" ? "" : " " unit)
}

function draw(p, left, top, width, height,    parts, n, c, pair, g, i, x0, x1, y0, y1, v, x, y, e, path, names, ends, order, t, last) {
  n = split(curves_of[p], parts, ";")
  x0 = y0 = 99; x1 = y1 = -99
  for (c = 1; c <= n; c++) {
    split(parts[c], pair, ":"); g = pair[1]
    for (i = 1; i <= count[g]; i++) {
      v = each_of[p] ? time[g, i] : peak[g, i]
      if (log10(item[g, i]) < x0) x0 = log10(item[g, i])
      if (log10(item[g, i]) > x1) x1 = log10(item[g, i])
      if (log10(v) < y0) y0 = log10(v)
      if (log10(v) > y1) y1 = log10(v)
    }
  }
  if (x1 < x0) return
  x0 = floor(x0 + 0.1); x1 = -floor(-x1 + 0.05); y0 = floor(y0); y1 = -floor(-y1)
  if (y1 == y0) y1++
  printf "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n", left, top - 14, titles[p]
  for (e = y0; e <= y1; e++) {
    y = top + height * (1 - (e - y0) / (y1 - y0))
    printf "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", left, left + width, y, y
    printf "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n", left - 6, y + 4, power(e, ys[p])
  }
  for (e = x0; e <= x1; e++) {
    x = left + width * (e - x0) / (x1 - x0)
    printf "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x, top + height, top + height + 4
    printf "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n", x, top + height + 18, power(e, "")
  }
  printf "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%d\">%s</text>\n", left + width, top + height + 34, xs[p]
  for (c = 1; c <= n; c++) {
    split(parts[c], pair, ":"); g = pair[1]
    path = ""
    for (i = 1; i <= count[g]; i++) {
      v = each_of[p] ? time[g, i] : peak[g, i]
      x = left + width * (log10(item[g, i]) - x0) / (x1 - x0)
      y = top + height * (1 - (log10(v) - y0) / (y1 - y0))
      path = path sprintf("%s%.1f %.1f", i == 1 ? "M" : "L", x, y)
      printf "<circle class=\"d%d\" r=\"2.5\" cx=\"%.1f\" cy=\"%.1f\"/>", c, x, y
    }
    printf "<path class=\"c%d\" d=\"%s\"/>\n", c, path
    names[c] = pair[2]; ends[c] = y; order[c] = c
  }
  # Names stand at the right, in the order of where the curves end, and do not cover each other.
  for (c = 2; c <= n; c++)
    for (i = c; i > 1 && ends[order[i]] < ends[order[i - 1]]; i--) { t = order[i]; order[i] = order[i - 1]; order[i - 1] = t }
  last = -99
  for (c = 1; c <= n; c++) {
    y = ends[order[c]]
    if (y < last + 14) y = last + 14
    if (y > top + height - 14 * (n - c)) y = top + height - 14 * (n - c)
    last = y
    printf "<text class=\"t%d\" x=\"%d\" y=\"%.1f\">%s</text>\n", order[c], left + width + 8, y + 4, names[order[c]]
  }
}

END {
  width = 1000; row = 250
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Time for each item and peak memory against the size of the work; the tables of the page have the figures\">\n", width, row * 3
  print "<style>"
  print "text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600; font-size: 14px } .tick { fill: #57606a }"
  print ".grid { stroke: #d0d7de } path { fill: none; stroke-width: 2 } rect { fill: #ffffff }"
  split("#0550ae #b35900 #1a7f37 #a40e26 #6639ba #57606a", light, " ")
  split("#79c0ff #ffa657 #7ee787 #ff7b72 #d2a8ff #adbac7", dark, " ")
  for (c = 1; c <= 6; c++) printf ".c%d { stroke: %s } .d%d, .t%d { fill: %s }\n", c, light[c], c, c, light[c]
  print "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .tick { fill: #9198a1 } .grid { stroke: #3d444d } rect { fill: #0d1117 }"
  for (c = 1; c <= 6; c++) printf ".c%d { stroke: %s } .d%d, .t%d { fill: %s }\n", c, dark[c], c, c, dark[c]
  print "} </style>"
  printf "<rect width=\"%d\" height=\"%d\"/>\n", width, row * 3
  for (p = 1; p <= panels; p++) draw(p, (p % 2 ? 60 : 560), 36 + row * int((p - 1) / 2), 300, row - 90)
  print "</svg>"
}
