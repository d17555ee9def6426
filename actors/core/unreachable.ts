/** The end of every switch over a union: a case that was forgotten does not compile, and a lie throws. */
export function unreachable(value: never): never {
  throw new TypeError(`impossible value: ${String(value)}`);
}
