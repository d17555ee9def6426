// Routes for `cs_` sessions. A route names the permission it needs (roles.ts); a merchant route gives its handler a
// session that has a merchant.
import type { Static, TObject } from '@sinclair/typebox';
import type { MerchantId } from '#actors/core/ids.js';
import { findFreeTextError, type TextError } from '#actors/core/requests/validation.js';
import { compressReply } from './compressed-reply.js';
import type { Permission } from './roles.js';
import { type Answer, type ApiError, buildApiError } from './response.js';
import type { NoParams, OpenRequest, Session, SessionRequest } from './request.js';
import {
  type BodyPermit,
  buildBodySpec,
  type InputSpec,
  type DescribedRouteInfo,
  type Params,
  type ParamsOf,
  type Route,
} from './route.js';

export interface MerchantSession extends Session {
  readonly merchantId: MerchantId;
}

export interface MerchantRequest<
  Values = NoParams,
  Body = undefined,
  Query = undefined,
> extends OpenRequest<Values, Body, Query> {
  readonly session: MerchantSession;
}

/** The answer to a session whose user has not proven the address. */
export const UNVERIFIED = buildApiError('state_conflict', {
  message: 'Verify your e-mail address first: open the link in the mail.',
});

interface SessionRouteBase<Specs extends Params, Body, Query> extends DescribedRouteInfo {
  readonly permission: Permission;
  /** Takes an Idempotency-Key. */
  readonly idempotent?: boolean;
  readonly params?: Specs;
  readonly query?: InputSpec<Query>;
  readonly body?: InputSpec<Body>;
}

interface SessionRouteInput<Specs extends Params, Body, Query> extends SessionRouteBase<
  Specs,
  Body,
  Query
> {
  handle(request: SessionRequest<ParamsOf<Specs>, Body, Query>): Answer | Promise<Answer>;
}

interface MerchantRouteInput<Specs extends Params, Body, Query> extends SessionRouteBase<
  Specs,
  Body,
  Query
> {
  handle(request: MerchantRequest<ParamsOf<Specs>, Body, Query>): Answer | Promise<Answer>;
}

/** A route for each session whose role has `permission`. */
export function defineSessionRoute<
  Specs extends Params = NoParams,
  Body = undefined,
  Query = undefined,
>(route: SessionRouteInput<Specs, Body, Query>): Route {
  const { params = {}, query, body, idempotent: isIdempotent = false } = route;
  const rest = { auth: 'session', scopes: ['read'], isIdempotent, params, query, body } as const;
  const defined: Route = { limit: 'session', ...route, ...rest };
  return route.method === 'GET' ? { ...defined, handle: compressAnswers(defined) } : defined;
}

const compressAnswers =
  (route: Route): Route['handle'] =>
  (request) => {
    const answer = route.handle(request);
    return answer instanceof Promise
      ? answer.then((settled) => compressReply(settled, request.preferences))
      : compressReply(answer, request.preferences);
  };

/** A route for sessions of merchants' users; administrators get 403. */
export function defineMerchantRoute<
  Specs extends Params = NoParams,
  Body = undefined,
  Query = undefined,
>(route: MerchantRouteInput<Specs, Body, Query>): Route {
  return defineSessionRoute<Specs, Body, Query>({
    ...route,
    handle: (request) =>
      isMerchantRequest<MerchantRequest<ParamsOf<Specs>, Body, Query>>(request)
        ? route.handle(request)
        : buildApiError('role_insufficient'),
  });
}

interface UploadRouteInput extends DescribedRouteInfo {
  readonly permission: Permission;
  readonly bodyLimitBytes: number;
  /** Only describes the body: the handler gets its chunks. */
  readonly body: InputSpec<unknown>;
  readonly beginBody: (request: MerchantRequest, bytes: number) => Promise<BodyPermit | ApiError>;
  readonly handle: (request: MerchantRequest<NoParams, readonly ArrayBuffer[]>) => Promise<Answer>;
}

/** A merchant route with a large body. Its chunks may be transferred to another thread. */
export function defineUploadRoute(route: UploadRouteInput): Route {
  const { beginBody, handle, ...rest } = route;
  return {
    ...defineMerchantRoute<NoParams, readonly ArrayBuffer[]>({
      limit: 'upload',
      ...rest,
      body: route.body as InputSpec<readonly ArrayBuffer[]>,
      handle,
    }),
    beginBody: async (request, bytes) =>
      isMerchantRequest<MerchantRequest>(request as SessionRequest)
        ? beginBody(request as MerchantRequest, bytes)
        : buildApiError('role_insufficient'),
  };
}

function isMerchantRequest<Of extends { readonly session: MerchantSession }>(
  request: Omit<Of, 'session'> & { readonly session: Session },
): request is Of & { readonly session: Session } {
  return request.session.merchantId !== null;
}

/**
 * A body whose named fields are free text: a card number in them is an error, and the answer never repeats it.
 * `items.name` is the name of each item; of a map, all values are checked. `checks`: fields with a check of their own.
 */
export function buildTextBodySpec<Schema extends TObject>(
  schema: Schema,
  names: readonly TextName<keyof Static<Schema> & string>[],
  checks: Partial<Record<keyof Static<Schema> & string, FindTextError>> = {},
): InputSpec<Static<Schema>> {
  const spec = buildBodySpec(schema);
  const all = [
    ...names.map((name) => [name, findFreeTextError] as const),
    ...(Object.entries(checks) as [string, FindTextError][]),
  ];
  return {
    schema,
    check(input) {
      const checked = spec.check(input);
      if ('code' in checked) return checked;
      for (const [name, findError] of all) {
        const codes = listTextsAt(checked.value, name.split('.')).map(findError);
        const code = codes.find((each) => each !== null);
        if (code) return buildApiError(code, { param: name });
      }
      return checked;
    },
  };
}

type FindTextError = (text: string) => TextError | null;
type TextName<Field extends string> = Field | `${Field}.${string}`;

function listTextsAt(value: unknown, [name, ...rest]: readonly string[]): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    return value.flatMap((item) => listTextsAt(item, name === undefined ? [] : [name, ...rest]));
  }
  if (typeof value !== 'object' || value === null) return [];
  if (name === undefined) return Object.values(value).filter((text) => typeof text === 'string');
  return listTextsAt((value as Readonly<Record<string, unknown>>)[name], rest);
}
