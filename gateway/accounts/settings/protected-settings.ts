// The changes of settings that a stolen session must not make: mails that are switched off, since nobody would hear of a
// payout then, and the contact of a LIVE merchant, since its customers would ask a stranger about their money.
import type { Settings, SettingsChange, SettingsRow } from '#store/postgres/merchants/settings.js';
import { disarm } from '#gateway/mail/compose.js';
import type { ProtectedChangeFields } from '#gateway/mail/mail-text.js';

type SettingsProtectedChange = Pick<ProtectedChangeFields, 'change' | 'subject'>;

const CONTACT = {
  supportEmail: 'support_email',
  supportPhone: 'support_phone',
  supportUrl: 'support_url',
} as const satisfies Partial<Record<keyof Settings, string>>;

export function listProtectedChanges(
  before: SettingsRow,
  { fields, off }: SettingsChange,
): readonly SettingsProtectedChange[] {
  const silenced = before.notices.filter((kind) => off.includes(kind));
  if (before.sendsReceipts && fields.sendsReceipts === false) silenced.push('receipts');
  const contact = before.isLiveEnabled ? listContactChanges(before, fields) : [];
  return [
    ...(silenced.length === 0
      ? []
      : [{ change: 'mails_switched_off' as const, subject: silenced.join(', ') }]),
    ...(contact.length === 0
      ? []
      : [{ change: 'contact_changed' as const, subject: contact.join(', ') }]),
  ];
}

function listContactChanges(before: SettingsRow, after: Partial<Settings>): readonly string[] {
  return Object.entries(CONTACT).flatMap(([key, name]) => {
    const field = key as keyof typeof CONTACT;
    const value = after[field];
    if (value === undefined || value === before[field]) return [];
    return [`${name}: ${show(before[field])} → ${show(value)}`];
  });
}

const show = (text: string | null): string => (text === null ? '–' : disarm(text));
