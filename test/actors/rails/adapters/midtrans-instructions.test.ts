// The payment instructions in Midtrans' replies: codes with letters beyond ASCII, and those that must not be shown.
import QRCode from 'qrcode';
import t from 'tap';
import { encodeEmv } from '#actors/core/rails/emv-qr.js';
import {
  BY_ORDER,
  chargeFor,
  PAYLOAD,
  pending,
  TRANSACTION,
} from '#test/support/rails/midtrans.js';
import { NOBODY, orderOf } from '#test/support/rails/orders.js';
import { scriptRails } from '#test/support/rails/scripted.js';

const { signal } = new AbortController();
const { midtrans, say } = await scriptRails(t);

t.test('an order with instructions that must not be shown is unusable', async (t) => {
  const unusable = { result: 'unusable', railReference: TRANSACTION };
  const spoilt = PAYLOAD.replace('15000', '15001');
  const bare = { ...pending, qr_string: undefined };
  const account = { ...bare, va_numbers: [{ bank: 'bca', va_number: '<b>' }] };
  const picture = await QRCode.toBuffer(spoilt);
  for (const body of [{ ...pending, qr_string: spoilt }, account, bare]) {
    say({
      'POST /v2/charge': { body },
      [BY_ORDER]: { body },
      [`GET /v2/qris/${TRANSACTION}/qr-code`]: { body: picture },
    });
    t.same(await midtrans.charge(chargeFor(), NOBODY, signal), unusable);
    t.same(await midtrans.inquirePayment(orderOf(chargeFor()), signal), unusable);
    t.match(
      await midtrans.inquirePayment({ ...orderOf(chargeFor()), wantsInstructions: false }, signal),
      { result: 'open', charge: { result: 'accepted', instructions: null } },
      'the customer has other ones',
    );
  }
  const duplicate = { body: { status_code: '406', status_message: 'duplicate' } };
  say({ 'POST /v2/charge': duplicate, [BY_ORDER]: { body: { ...pending, qr_string: spoilt } } });
  t.same(await midtrans.charge(chargeFor(), NOBODY, signal), unusable, 'it exists already');
});

t.test('a QR code with letters beyond ASCII is shown without the blanks at its end', async (t) => {
  const payload = encodeEmv([['59', 'KAFÉ D’ANDRÉ']]);
  const accepted = { result: 'accepted', instructions: { kind: 'qr', payload } };
  say({ 'POST /v2/charge': { body: { ...pending, qr_string: `${payload} \n` } } });
  t.match(await midtrans.charge(chargeFor(), NOBODY, signal), accepted);
  say({
    'POST /v2/charge': { body: { ...pending, qr_string: undefined } },
    [`GET /v2/qris/${TRANSACTION}/qr-code`]: { body: await QRCode.toBuffer(payload) },
  });
  t.match(await midtrans.charge(chargeFor(), NOBODY, signal), accepted, 'in a picture too');
});
