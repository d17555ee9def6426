// Loads uWebSockets.js by a call. An import declaration would load it before the process can say in one line why it cannot run,
// and, in a bundle, before the variable below is set.
import { StartError } from '#ops/runtime/config.js';
import { MAX_HEAD_BYTES } from './request-limits.js';

export type NativeLibrary = Awaited<ReturnType<typeof loadNativeLibrary>>;

/** @throws StartError when it has no build for this Node, or one that this system cannot load */
export async function loadNativeLibrary() {
  // The library reads it once, when it is loaded.
  // eslint-disable-next-line no-restricted-properties -- The variable is the library's, not ours; it has no other way in.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(MAX_HEAD_BYTES);
  try {
    return await import('uWebSockets.js');
  } catch (error) {
    const cause = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
    throw new StartError(
      `uWebSockets.js cannot be loaded: run the process where it can be (docs/operations/node.md#versions-of-node). ${cause}`,
    );
  }
}
