// Orders never outlive their payments: the expiry in a charge, and charges that are too late.
import t from 'tap';
import type { Rail } from '#actors/rails/adapters/rail.js';
import { chargeOf, NOBODY } from '#test/support/rails/orders.js';
import { scriptRails } from '#test/support/rails/scripted.js';

const { signal } = new AbortController();
const { midtrans, xendit, asked, say } = await scriptRails(t);

t.test('a charge without time left is refused without a call', async (t) => {
  for (const [name, rail] of Object.entries<Rail>({ midtrans, xendit })) {
    for (const leftMs of [-1, 0]) {
      const call = chargeOf(rail.name, 'VA_BNI', { expiresAtMs: Date.now() + leftMs });
      say({});
      t.same(await rail.charge(call, NOBODY, signal), { result: 'refused' }, name);
      t.equal(asked.length, 0);
    }
  }
});

t.test('an order expires with its payment, or in the second before', async (t) => {
  const expiresAtMs = Date.now() + 900_500;
  const endOf: Record<string, (body: Record<string, Record<string, string>>) => number> = {
    midtrans: ({ custom_expiry: told }) =>
      Date.parse(String(told?.['order_time']).replace(' ', 'T').replace(' +0700', '+07:00')) +
      Number(told?.['expiry_duration']) * 1000,
    xendit: ({ channel_properties: told }) => Date.parse(String(told?.['expires_at'])),
  };
  for (const rail of [midtrans, xendit]) {
    say({});
    await rail.charge(chargeOf(rail.name, 'VA_BNI', { expiresAtMs }), NOBODY, signal);
    const endsAtMs = endOf[rail.name]?.(asked[0]?.body as never) ?? Number.NaN;
    t.ok(endsAtMs <= expiresAtMs, `${rail.name}: not later`);
    t.ok(endsAtMs > expiresAtMs - 1_000, `${rail.name}: nor much sooner`);
  }
});

t.test('a method whose orders take no expiry declares it, so that they are closed', async (t) => {
  say({});
  await xendit.charge(chargeOf('xendit', 'QRIS'), NOBODY, signal);
  t.match(JSON.stringify(asked[0]?.body), /"channel_properties":\{\}/);
  t.notMatch(JSON.stringify(asked[0]?.body), /expire/);
  for (const [rail, method, takesExpiry] of [
    [xendit, 'QRIS', false],
    [xendit, 'VA_BNI', true],
    [midtrans, 'QRIS', true],
    [midtrans, 'VA_BNI', true],
  ] as const) {
    t.equal(rail.capabilities.methods[method]?.takesExpiry, takesExpiry, `${rail.name} ${method}`);
  }
});
