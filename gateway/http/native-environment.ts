// Sets the variables of the environment that the native library reads once, when it is loaded. So this file is imported
// before it.
import { MAX_HEAD_BYTES } from './request-limits.js';

// eslint-disable-next-line no-restricted-properties -- The variable is the library's, not ours; it has no other way in.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(MAX_HEAD_BYTES);
