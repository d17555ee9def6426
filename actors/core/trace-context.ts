// The trace context of a command, of a call to a rail and of an event: the W3C `traceparent` of the span that caused it, as the
// last field of its JSON. It is there only while traces are on. A reader that does not know the field ignores it, so it needs
// no version of frames (docs/decisions/0083-traces.md).

const NAME = '"traceparent":"';
/** `00-<trace id>-<span id>-<flags>`. */
const CONTEXT_CHARACTERS = 55;

/** The characters at the end of a JSON text that hold its trace context. */
export const TRACE_CONTEXT_TAIL = NAME.length + CONTEXT_CHARACTERS + '"}'.length;

const TAIL = /^"traceparent":"([0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})"\}$/;

/** `json`: the text of an object that has no field `traceparent`. */
export function addTraceContext(json: string, traceparent: string): string {
  const separator = json === '{}' ? '' : ',';
  return `${json.slice(0, -1)}${separator}${NAME}${traceparent}"}`;
}

/** undefined: the text has none. Nested objects do not count, so no field of a merchant is taken for one. */
export function readTraceContext(json: string): string | undefined {
  return TAIL.exec(json.slice(-TRACE_CONTEXT_TAIL))?.[1];
}

/** The text as it was before `addTraceContext`. */
export function dropTraceContext(json: string): string {
  if (readTraceContext(json) === undefined) return json;
  return `${json.slice(0, -TRACE_CONTEXT_TAIL).replace(/,$/, '')}}`;
}
