import t from 'tap';
import { parseQuery } from '#gateway/routing/query.js';

t.test('a query string is decoded into an object', (test) => {
  test.same(parseQuery(''), { value: {} });
  test.same(parseQuery('a=1&b=%C3%A9+x&c&d='), { value: { a: '1', b: 'é x', c: '', d: '' } });
  test.same(parseQuery('&a=1=2&'), { value: { a: '1=2' } });
  test.end();
});

t.test('a repeated, undecodable or excessive parameter is field_invalid', (test) => {
  const bad = ['a=1&a=2', 'a=1&%61=2', 'a=%', 'a=%ff', 'a=%00', '__proto__=1', 'a=1&'.repeat(40)];
  for (const query of bad) test.match(parseQuery(query), { code: 'field_invalid' }, query);
  test.end();
});
