import { defineConfig } from "vite";

// `INQUEST=ADDRESS npx vite` shows the page as it is written, with what the server at that address (as `inquest open`
// prints it) answers. The server takes only its own pages' requests, so that its own address is given.
const server = process.env.INQUEST === undefined ? undefined : new URL(process.env.INQUEST);

// Relative addresses: the token in the path is not known when this is built.
export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  server: server && {
    proxy: {
      "/api": {
        target: server.origin,
        changeOrigin: true,
        rewrite: (path) => server.pathname.replace(/\/$/, "") + path,
        headers: { origin: server.origin },
      },
    },
  },
  build: {
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: "page[extname]",
      },
    },
  },
});
