// The rails' answers inside commands: the result as one word, beside what belongs to it.
import type { ChargeAnswer, CloseAnswer, RefundAnswer } from '#actors/core/rails/answers.js';
import { unreachable } from '#actors/core/unreachable.js';
import { type Raw, readObject, readOneOf, readOptional, readTextOrNull } from './fields.js';
import {
  decodeInstructions,
  decodeSettlement,
  encodeInstructions,
  encodeSettlement,
} from './parts.js';

const CHARGE_RESULTS: readonly ChargeAnswer['result'][] = ['accepted', 'refused', 'unknown'];
const CLOSE_RESULTS: readonly CloseAnswer['result'][] = ['closed', 'settled', 'refused', 'unknown'];
const REFUND_RESULTS: readonly RefundAnswer['result'][] = [
  'succeeded',
  'pending',
  'failed',
  'manual_required',
  'unknown',
];

export function encodeChargeAnswer(answer: ChargeAnswer) {
  const { result: k } = answer;
  if (answer.result !== 'accepted') return { k };
  const { railReference, instructions } = answer;
  return { k, f: railReference ?? undefined, i: encodeInstructions(instructions) };
}

export function decodeChargeAnswer(raw: Raw): ChargeAnswer {
  const result = readOneOf(raw, 'k', CHARGE_RESULTS);
  if (result !== 'accepted') return { result };
  const railReference = readTextOrNull(raw, 'f');
  const instructions = readOptional(raw, 'i', (from, key) =>
    decodeInstructions(readObject(from, key)),
  );
  return { result, railReference, instructions };
}

export function encodeCloseAnswer(answer: CloseAnswer) {
  const { result: k } = answer;
  return answer.result === 'settled' ? { k, s: encodeSettlement(answer.settlement) } : { k };
}

export function decodeCloseAnswer(raw: Raw): CloseAnswer {
  const result = readOneOf(raw, 'k', CLOSE_RESULTS);
  if (result !== 'settled') return { result };
  return { result, settlement: decodeSettlement(readObject(raw, 's')) };
}

export function encodeRefundAnswer(answer: RefundAnswer) {
  switch (answer.result) {
    case 'succeeded':
    case 'pending':
      return { k: answer.result, f: answer.railReference ?? undefined };
    case 'failed':
    case 'manual_required':
    case 'unknown':
      return { k: answer.result };
    default:
      return unreachable(answer);
  }
}

export function decodeRefundAnswer(raw: Raw): RefundAnswer {
  const result = readOneOf(raw, 'k', REFUND_RESULTS);
  if (result !== 'succeeded' && result !== 'pending') return { result };
  return { result, railReference: readTextOrNull(raw, 'f') };
}
