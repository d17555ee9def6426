// People and programs add a slash to the address of a page; the browser is led to the page.
import { Type } from '@sinclair/typebox';
import { reply } from './response.js';
import { defineOpenRoute, type InputSpec, type Route } from './route.js';

const RAW_QUERY: InputSpec<string> = {
  schema: Type.Object({}),
  check: (input) => ({ value: String(input) }),
};

/** 301 to the same address without the slash at the end of its path. It is in no router, which finds each path by itself. */
export const SLASH_ROUTE: Route = defineOpenRoute({
  method: 'GET',
  path: '/{page}/',
  cpuUs: 100,
  summary: 'A page, with a slash at its end',
  query: RAW_QUERY,
  answers: { 301: null },
  handle: ({ target, query }) => {
    const page = target.slice(0, -1);
    return reply(301, '', [['Location', query === '' ? page : `${page}?${query}`]]);
  },
});

export const isPage = ({ auth, answers, mediaType }: Route): boolean =>
  auth === 'none' && answers[200] === null && answers[304] === undefined && mediaType === undefined;
