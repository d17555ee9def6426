// Parts that the grammars of several commands share. A parser throws InvalidArgumentError with the allowed values, which
// commander prints behind the name of the option or argument.
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import {
  type Environment,
  type MerchantId,
  parseMerchantId,
  parsePaymentId,
  type PaymentId,
} from '#actors/core/ids.js';

export const ENVIRONMENTS = ['TEST', 'LIVE'] as const satisfies readonly Environment[];

/** For commands that change many things at once, or for good. */
export const DRY_RUN = ['--dry-run', 'print the effect, change nothing'] as const;

/** Adds a command with the help and the option that every command has. */
export const addCommand = (parent: Command, name: string, purpose: string, example: string) =>
  parent
    .command(name)
    .description(purpose)
    .option('--json', 'print JSON instead of text, one value per line')
    .addHelpText('after', `\nExample:\n  ${example}`);

export const parseInteger =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

export function parseTime(text: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError(
    'It must be an ISO 8601 time: 2026-08-01 or 2026-08-01T10:00:00Z.',
  );
}

export function parseMerchant(text: string): MerchantId {
  const id = parseMerchantId(text);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('It must be the id of a merchant: mer_….');
}

export function parsePayment(text: string): PaymentId {
  const id = parsePaymentId(text);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('It must be the id of a payment: pay_….');
}

export function parseNonEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
