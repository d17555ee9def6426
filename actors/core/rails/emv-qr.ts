// EMVCo merchant-presented QR payloads, as QRIS uses them: fields of (2-digit tag, 2-digit length,
// value), `00` first and the CRC in `63` last.

/** A value, or the fields of a template. */
export type EmvField = readonly [tag: string, value: string | readonly EmvField[]];

const MAX_LENGTH = 99;
const CRC_HEAD = '6304';
const CRC_POLYNOMIAL = 0x1021;

/** Encodes fields without `63`, and appends that field, the CRC. Lengths count characters, each of one UTF-16 unit. */
export function encodeEmv(fields: readonly EmvField[]): string {
  const text = fields.map(encodeField).join('') + CRC_HEAD;
  return text + computeCrc16(text).toString(16).toUpperCase().padStart(4, '0');
}

function encodeField([tag, value]: EmvField): string {
  const text = typeof value === 'string' ? value : value.map(encodeField).join('');
  if (text.length === 0 || text.length > MAX_LENGTH) {
    throw new RangeError(`field ${tag} has ${text.length} characters, not 1 to ${MAX_LENGTH}`);
  }
  return `${tag}${String(text.length).padStart(2, '0')}${text}`;
}

/** The payload of a rail, without the blanks that some rails add at the end; null: its CRC is wrong. */
export function readPayload(written: string): string | null {
  const payload = written.trimEnd();
  return hasValidCrc(payload) ? payload : null;
}

/** Whether the payload ends with the CRC of its other fields. */
export function hasValidCrc(payload: string): boolean {
  const text = payload.slice(0, -4);
  return text.endsWith(CRC_HEAD) && Number.parseInt(payload.slice(-4), 16) === computeCrc16(text);
}

/** CRC-16/CCITT-FALSE over the bytes of UTF-8, as wallets compute it: "123456789" gives 29B1. */
export function computeCrc16(text: string): number {
  let crc = 0xffff;
  const bytes = Buffer.from(text, 'utf8');
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      const shifted = (crc << 1) & 0xffff;
      crc = (crc & 0x8000) === 0 ? shifted : shifted ^ CRC_POLYNOMIAL;
    }
  }
  return crc;
}
