// Shared by the codecs of all stored texts. Amounts are digit strings there, because JSON has no bigint.
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ValueError } from '@sinclair/typebox/errors';
import { type AmountMinor, formatAmount, makeMinor } from '#actors/core/money.js';

export function parseDigits(digits: string): AmountMinor {
  return makeMinor(BigInt(digits));
}

type WithAmount<T, Amount> = Omit<T, 'amountMinor'> & { readonly amountMinor: Amount };

export function parseAmountOf<T extends { readonly amountMinor: string }>(
  stored: T,
): WithAmount<T, AmountMinor> {
  return { ...stored, amountMinor: parseDigits(stored.amountMinor) };
}

export function formatAmountOf<T extends { readonly amountMinor: AmountMinor }>(
  message: T,
): WithAmount<T, string> {
  return { ...message, amountMinor: formatAmount(message.amountMinor) };
}

export function stringifyWithDigits(message: object): string {
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/**
 * Answers the function that checks a parsed text. It throws with the path of what is malformed, because the reader of a
 * damaged text must stop rather than guess; the message repeats no value, which may be a customer's.
 */
export function createReader<S extends TSchema>(name: string, schema: S) {
  const compiled = TypeCompiler.Compile(schema);
  return (value: unknown): Static<S> => {
    if (compiled.Check(value)) return value;
    const [fault] = Array.from(compiled.Errors(value), describeFault);
    throw new TypeError(`${name} is malformed: ${String(fault)}`);
  };
}

/** Of a union, such as a field that may be null: the fault inside of it, where the path is longer. */
function describeFault({ path, message, schema: { errorMessage }, errors }: ValueError): string {
  const faults = errors.map((variant) => variant.First());
  const inner = faults.find((fault) => fault?.path !== path);
  if (inner !== undefined) return describeFault(inner);
  return `"${path}" ${String(errorMessage ?? message)}`;
}
