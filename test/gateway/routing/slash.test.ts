// A slash at the end of a page's address leads to the page.
import t from 'tap';
import { useService } from '#test/support/standing/service.js';

const { baseUrl, api } = await useService();
const payment = await api.create({ amount: '150000' });
const checkout = `/checkout/${String(payment.body['id'])}`;

const ask = (path: string, method = 'GET') =>
  fetch(baseUrl + path, { method, redirect: 'manual', headers: { accept: 'text/html' } });

t.test('pages with a slash at the end', async (t) => {
  const pages = ['/docs', '/docs/payments', '/docs/reference', checkout, '/dashboard/payments/all'];
  for (const page of pages) {
    const answer = await ask(`${page}/`);
    t.same([answer.status, answer.headers.get('location')], [301, page]);
    t.equal((await ask(page)).status, 200);
    t.equal((await ask(`${page}/`, 'HEAD')).status, 301);
  }
  const queried = await ask(`${checkout}/?lang=en&x=%2F`);
  t.equal(queried.headers.get('location'), `${checkout}?lang=en&x=%2F`);
  const followed = await fetch(`${baseUrl}/docs/`);
  t.same([followed.url, followed.status], [`${baseUrl}/docs`, 200]);
});

t.test('other paths and methods with a slash at the end are not there', async (t) => {
  for (const path of ['/v1/payments/', '/docs//', '//docs/', '/nothing/', '/health/']) {
    t.equal((await ask(path)).status, 404, path);
  }
  t.equal((await ask('/docs/', 'POST')).status, 404);
});
