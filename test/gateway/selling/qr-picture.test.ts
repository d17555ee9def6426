// The QR code as a picture to save: which payments have one, and how browsers keep it.
import jsQRModule from 'jsqr';
import { PNG } from 'pngjs';
import t from 'tap';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { useService } from '#test/support/standing/service.js';

const jsQR = jsQRModule as unknown as typeof jsQRModule.default;
const { baseUrl, merchant } = await useService();
const api = openApi(baseUrl, merchant.testKey);
const anonymous = openApi(baseUrl);

const create = async (method: string): Promise<string> =>
  String((await api.create({ amount: '150000', payment_method: method })).body['id']);

t.test('the picture reads as a QRIS code, and a browser keeps it for itself', async (t) => {
  const path = `/checkout/${await create('QRIS')}/qr.png`;
  const { status, headers, bytes } = await anonymous.call(path);
  t.strictSame([status, headers['content-type']], [200, 'image/png']);
  const { data, width, height } = PNG.sync.read(bytes);
  t.ok(hasValidCrc(jsQR(new Uint8ClampedArray(data), width, height)?.data ?? ''));
  t.match(headers['cache-control'], /^private, max-age=\d+$/);
  const etag = String(headers['etag']);
  const same = await anonymous.call(path, { headers: { 'if-none-match': etag } });
  t.strictSame([same.status, same.bytes.length, same.headers['etag']], [304, 0, etag]);
  const other = await anonymous.call(`/checkout/${await create('QRIS')}/qr.png`);
  t.not(other.headers['etag'], etag, 'another payment has another code');
});

t.test(
  'a browser that kept the code of a closed order saves the code of the new one',
  async (t) => {
    const { id } = (await api.create({ amount: '150000' })).body;
    const page = `/checkout/${String(id)}`;
    const choose = (method: string): Promise<ApiAnswer> =>
      anonymous.call(`${page}/method`, { method: 'POST', body: { payment_method: method } });
    const saved: { address: string; code: string | undefined }[] = [];
    for (const method of ['QRIS', 'VA_BCA', 'QRIS']) {
      t.equal((await choose(method)).status, 200);
      const text = (await anonymous.call(page)).bytes.toString();
      const address = /href="([^"]+)" download=/.exec(text)?.[1];
      t.equal(address === undefined, method !== 'QRIS');
      if (address === undefined) continue;
      const { status, bytes } = await anonymous.call(address);
      t.equal(status, 200);
      const { data, width, height } = PNG.sync.read(bytes);
      saved.push({ address, code: jsQR(new Uint8ClampedArray(data), width, height)?.data });
    }
    const [closed, open] = saved;
    t.not(open?.code, closed?.code);
    t.not(open?.address, closed?.address, 'the browser asks for the new picture');
  },
);

t.test('a payment without a code to pay has no picture', async (t) => {
  const paid = await create('QRIS');
  await api.simulate(paid, 'paid');
  for (const id of [paid, await create('VA_BCA')]) {
    const { status, code, headers } = await anonymous.call(`/checkout/${id}/qr.png`);
    t.strictSame([status, code], [404, 'payment_not_found']);
    t.equal(headers['cache-control'], 'no-store');
  }
});
