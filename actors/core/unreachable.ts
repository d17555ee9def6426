/**
 * Ends every switch over a union: a forgotten case does not compile, and an impossible value
 * throws.
 */
export function unreachable(value: never): never {
  throw new TypeError(`impossible value: ${String(value)}`);
}
