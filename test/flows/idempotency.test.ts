// Idempotency under fire: many creates with one key at once, at several gateways, with the same body and
// with others, and again after a restart of everything.
import t from 'tap';
import type { ApiAnswer } from '../support/api.js';
import { uniqueWord } from '../support/processes.js';
import { startServingService } from '../support/serving.js';

const PARALLEL = 200;
const BODY = { amount: '150000', currency: 'IDR', payment_method: 'QRIS', reference_id: 'ord_1' };
const OTHER = { ...BODY, amount: '150001' };

const service = await startServingService(t, { gateways: 2, payments: 2 });
const { apis, api } = service;

const fire = (bodies: readonly object[], key: string): Promise<ApiAnswer[]> =>
  Promise.all(
    bodies.map((body, index) => {
      return (apis[index % apis.length] ?? api).create(body, key);
    }),
  );

const repeat = (body: object, count = PARALLEL): object[] =>
  Array.from({ length: count }, () => body);
const countOf = (answers: readonly ApiAnswer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;
const textsOf = (answers: readonly ApiAnswer[]): string[] => [
  ...new Set(answers.filter(({ status }) => status < 300).map(({ text }) => text)),
];

const key = uniqueWord();

t.test('200 creates with one key: one payment, one 201, equal bodies', async (t) => {
  const answers = await fire(repeat(BODY), key);
  t.equal(countOf(answers, 201), 1);
  t.equal(countOf(answers, 200), PARALLEL - 1);
  t.equal(textsOf(answers).length, 1);
  for (const { status, headers } of answers) {
    if (headers['idempotent-replayed'] === (status === 200 ? 'true' : undefined)) continue;
    t.fail('Idempotent-Replayed belongs to 200');
  }
});

t.test('200 creates with that key and another body: 409 each', async (t) => {
  const answers = await fire(repeat(OTHER), key);
  t.equal(countOf(answers, 409), PARALLEL);
  t.ok(answers.every(({ code }) => code === 'idempotency_conflict'));
});

t.test('both bodies at once: one of them wins, for all', async (t) => {
  const wishes = repeat(BODY).map((body, index) => (index % 2 === 0 ? body : OTHER));
  const answers = await fire(wishes, uniqueWord());
  t.equal(countOf(answers, 201), 1);
  t.equal(countOf(answers, 200), PARALLEL / 2 - 1);
  t.equal(countOf(answers, 409), PARALLEL / 2);
  t.equal(textsOf(answers).length, 1);
});

t.test('a body that means the same is the same', async (t) => {
  const same = {
    reference_id: 'ord_1',
    payment_method: 'QRIS',
    currency: 'IDR',
    amount: '000150000',
  };
  const again = await fire([same], key);
  t.equal(countOf(again, 200), 1);
});

t.test('an answer that is an error does not use a key up', async (t) => {
  const fresh = uniqueWord();
  const [refused] = await fire([{ ...BODY, amount: '1.5' }], fresh);
  t.equal(refused?.status, 400);
  const [created] = await fire([BODY], fresh);
  t.equal(created?.status, 201);
});

t.test('a replay shows the payment as it is now', async (t) => {
  const fresh = uniqueWord();
  const [created] = await fire([BODY], fresh);
  await api.simulate(created?.body['id'], 'paid');
  const [replayed] = await fire([BODY], fresh);
  t.match(replayed, { status: 200, body: { id: created?.body['id'], status: 'paid' } });
});

t.test('keys of every printable character, and of 255', async (t) => {
  const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');
  for (const one of [`${all}${uniqueWord()}`, uniqueWord().padEnd(255, 'x')]) {
    const answers = [...(await fire([BODY], one)), ...(await fire([BODY], one))];
    t.strictSame(
      answers.map(({ status }) => status),
      [201, 200],
    );
  }
});

t.test('after a restart of everything the key is still that payment', async (t) => {
  const [before] = await fire([BODY], key);
  await Promise.all([...service.gateways, ...service.payments].map((one) => one.stop()));
  await service.redis.restart({ isWiped: true });
  await Promise.all([...service.payments, ...service.gateways].map((one) => one.start()));
  await service.serves();
  const answers = await fire(repeat(BODY), key);
  t.equal(countOf(answers, 200), PARALLEL);
  t.strictSame(textsOf(answers), [before?.text]);
  t.equal(countOf(await fire(repeat(OTHER, 20), key), 409), 20);
});
