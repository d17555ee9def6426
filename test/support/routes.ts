// Every route of the gateway, to be looked at and not to be called.
import { createAssets } from '#gateway/pages/assets.js';
import { readAssetFiles } from '#gateway/pages/asset-files.js';
import { type RouteDeps, buildRoutes } from '#gateway/routes.js';
import type { Route } from '#gateway/routing/route.js';

/** Those that merchants are told of. */
export function listDescribedRoutes(): readonly Route[] {
  return listRoutes().filter(({ isHidden }) => isHidden !== true);
}

/** What the table itself needs; the rest is asked for when a request is handled. */
export function listRoutes(parts: Partial<RouteDeps> = {}): readonly Route[] {
  const own = {
    brand: 'Acme',
    brandHeader: 'Acme',
    baseUrl: 'https://pay.example',
    assets: createAssets(readAssetFiles()),
    ...parts,
  };
  return buildRoutes(own as RouteDeps);
}
