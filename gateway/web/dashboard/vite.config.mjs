// Builds the dashboard into dist/gateway/web/dashboard, with hashed names. The gateway makes the HTML shell itself
// (gateway/pages/dashboard-shell.ts) from the manifest, because each answer needs its own nonce.
import { resolve } from 'node:path';
import { defineConfig } from 'vite';

/** Uncompressed; test/gateway/pages/dashboard.test.ts limits the compressed size of the first view. */
const LARGEST_CHUNK_KB = 800;
const root = import.meta.dirname;

export default defineConfig({
  root,
  base: '/dashboard/',
  cacheDir: resolve(root, '../../../node_modules/.cache/vite'),
  esbuild: { jsx: 'automatic' },
  resolve: {
    alias: { '@dashboard': root, '@core': resolve(root, '../../../actors/core') },
  },
  build: {
    outDir: resolve(root, '../../../dist/gateway/web/dashboard'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // Inline data would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      input: resolve(root, 'app/main.tsx'),
      onwarn: (warning, warn) => {
        // Packages mark client components for frameworks with servers; here all are.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
    chunkSizeWarningLimit: LARGEST_CHUNK_KB,
  },
});
