// Idempotency under load: many simultaneous creates with one key, at several gateways, with the same body and with others,
// and again after a restart of everything.
import t from 'tap';
import type { ApiAnswer } from '../support/api.js';
import { uniqueWord } from '../support/processes.js';
import { startServingService } from '../support/serving.js';

const PARALLEL = 200;
const BODY = { amount: '150000', currency: 'IDR', payment_method: 'QRIS', reference_id: 'ord_1' };
const OTHER = { ...BODY, amount: '150001' };

const service = await startServingService(t, { gateways: 2, payments: 2 });
const { apis, api } = service;

const createAll = (bodies: readonly object[], key: string): Promise<ApiAnswer[]> =>
  Promise.all(
    bodies.map((body, index) => {
      return (apis[index % apis.length] ?? api).create(body, key);
    }),
  );

const repeat = (body: object, count = PARALLEL): object[] =>
  Array.from({ length: count }, () => body);
const countStatus = (answers: readonly ApiAnswer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;
const listTexts = (answers: readonly ApiAnswer[]): string[] => [
  ...new Set(answers.filter(({ status }) => status < 300).map(({ text }) => text)),
];

const key = uniqueWord();

t.test('200 creates with one key make one payment with one 201 and equal bodies', async (t) => {
  const answers = await createAll(repeat(BODY), key);
  t.equal(countStatus(answers, 201), 1);
  t.equal(countStatus(answers, 200), PARALLEL - 1);
  t.equal(listTexts(answers).length, 1);
  for (const { status, headers } of answers) {
    if (headers['idempotent-replayed'] === (status === 200 ? 'true' : undefined)) continue;
    t.fail('Idempotent-Replayed belongs to 200');
  }
});

t.test('200 creates with a used key and another body are all 409', async (t) => {
  const answers = await createAll(repeat(OTHER), key);
  t.equal(countStatus(answers, 409), PARALLEL);
  t.ok(answers.every(({ code }) => code === 'idempotency_conflict'));
});

t.test('of two bodies with one key at once, one wins for all creates', async (t) => {
  const bodies = repeat(BODY).map((body, index) => (index % 2 === 0 ? body : OTHER));
  const answers = await createAll(bodies, uniqueWord());
  t.equal(countStatus(answers, 201), 1);
  t.equal(countStatus(answers, 200), PARALLEL / 2 - 1);
  t.equal(countStatus(answers, 409), PARALLEL / 2);
  t.equal(listTexts(answers).length, 1);
});

t.test('an equivalent body is a replay', async (t) => {
  const same = {
    reference_id: 'ord_1',
    payment_method: 'QRIS',
    currency: 'IDR',
    amount: '000150000',
  };
  const again = await createAll([same], key);
  t.equal(countStatus(again, 200), 1);
});

t.test('an invalid create does not use up its key', async (t) => {
  const fresh = uniqueWord();
  const [refused] = await createAll([{ ...BODY, amount: '1.5' }], fresh);
  t.equal(refused?.status, 400);
  const [created] = await createAll([BODY], fresh);
  t.equal(created?.status, 201);
});

t.test('a replay answers the current state of the payment', async (t) => {
  const fresh = uniqueWord();
  const [created] = await createAll([BODY], fresh);
  await api.simulate(created?.body['id'], 'paid');
  const [replayed] = await createAll([BODY], fresh);
  t.match(replayed, { status: 200, body: { id: created?.body['id'], status: 'paid' } });
});

t.test('a key may have each printable character and 255 characters', async (t) => {
  const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');
  for (const one of [`${all}${uniqueWord()}`, uniqueWord().padEnd(255, 'x')]) {
    const answers = [...(await createAll([BODY], one)), ...(await createAll([BODY], one))];
    t.strictSame(
      answers.map(({ status }) => status),
      [201, 200],
    );
  }
});

t.test('after a restart with an empty Redis the key still gives its payment', async (t) => {
  const [before] = await createAll([BODY], key);
  await Promise.all([...service.gateways, ...service.payments].map((one) => one.stop()));
  await service.redis.restart({ isWiped: true });
  await Promise.all([...service.payments, ...service.gateways].map((one) => one.start()));
  await service.serves();
  const answers = await createAll(repeat(BODY), key);
  t.equal(countStatus(answers, 200), PARALLEL);
  t.strictSame(listTexts(answers), [before?.text]);
  t.equal(countStatus(await createAll(repeat(OTHER, 20), key), 409), 20);
});
