import t from 'tap';
import {
  findLiveBlock,
  type GatedCharge,
  type IsSwitchedOn,
  isMerchantBlocked,
  LIVE_BLOCKS,
} from '#actors/core/rails/live-gate.js';

const CHARGE: GatedCharge = {
  environment: 'LIVE',
  takesPayments: true,
  methods: ['VA', 'VA_BCA'],
  rail: 'xendit',
};
const except =
  (...off: string[]): IsSwitchedOn =>
  (name) =>
    !off.includes(name);

t.test('a LIVE charge of an enabled merchant passes when nothing is off', (t) => {
  t.equal(findLiveBlock(CHARGE, except('payouts', 'method:QRIS', 'rail:midtrans')), null);
  t.equal(findLiveBlock({ ...CHARGE, methods: [null, null] }, except()), null);
  t.end();
});

t.test('each switch blocks a LIVE charge, and the first block is named', (t) => {
  const off = ['live_creates', 'method:VA', 'method:VA_BCA', 'rail:xendit'];
  const expected = ['live_creates', 'method', 'method', 'rail'];
  t.strictSame(
    off.map((name) => findLiveBlock(CHARGE, except(name))),
    expected,
  );
  const disabled = { ...CHARGE, takesPayments: false };
  t.equal(findLiveBlock(disabled, except()), 'merchant');
  t.equal(findLiveBlock(disabled, except(...off)), LIVE_BLOCKS[0]);
  t.equal(findLiveBlock(CHARGE, except(...off)), LIVE_BLOCKS[1]);
  t.equal(findLiveBlock(CHARGE, except('method:VA', 'rail:xendit')), LIVE_BLOCKS[2]);
  t.end();
});

t.test('a charge without a rail is not blocked by the switch of a rail', (t) => {
  const { environment, takesPayments, methods } = CHARGE;
  t.equal(findLiveBlock({ environment, takesPayments, methods }, except('rail:xendit')), null);
  t.end();
});

t.test('nothing blocks TEST', (t) => {
  const charge = { ...CHARGE, environment: 'TEST', takesPayments: false } as const;
  t.equal(
    findLiveBlock(charge, () => false),
    null,
  );
  t.notOk(isMerchantBlocked(charge));
  t.end();
});
