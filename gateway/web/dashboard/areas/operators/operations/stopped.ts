// The words for what a kill switch stops.
import { useTexts } from '@dashboard/shared/text/language.js';
import { useMethodName } from '@dashboard/shared/text/method-names.js';
import { useMerchantName } from '../parts/merchant-names.js';
import { OPERATIONS_TEXTS } from './texts.js';

export const SWITCH_KINDS = ['rail', 'method', 'merchant'] as const;
export type SwitchKind = (typeof SWITCH_KINDS)[number];

/** Says what the switch stops, with the name of the method or merchant. */
export function useStopped(name: string): string {
  const { stopsWhat } = useTexts(OPERATIONS_TEXTS);
  const nameMethod = useMethodName();
  const [kind = '', value = ''] = name.split(':');
  const merchant = useMerchantName(value);
  if (name === 'live_creates' || name === 'payouts') return stopsWhat[name];
  const found = SWITCH_KINDS.find((each) => each === kind);
  if (found === undefined) return name;
  return stopsWhat[found]({ rail: value, method: nameMethod(value), merchant }[found]);
}
