// What the codecs of all stored texts share. Amounts are digits there, because JSON has no bigint.
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type AmountMinor, formatAmount, toMinor } from '#actors/core/money.js';

export function parseDigits(digits: string): AmountMinor {
  return toMinor(BigInt(digits));
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
 * Answers the function that checks a parsed text. It throws with the path of what is malformed: the text is damaged, so
 * its reader must stop rather than guess. The message repeats no value, which may be a customer's.
 *
 * A compiled check costs less than the functions that read field by field did; Type.Transform would cost 4 times as
 * much (bench/codec.ts).
 */
export function createReader<S extends TSchema>(name: string, schema: S) {
  const compiled = TypeCompiler.Compile(schema);
  return (value: unknown): Static<S> => {
    if (compiled.Check(value)) return value;
    const [fault] = Array.from(
      compiled.Errors(value),
      ({ path, message, schema: { errorMessage } }) =>
        `"${path}" ${String(errorMessage ?? message)}`,
    );
    throw new TypeError(`${name} is malformed: ${String(fault)}`);
  };
}
