import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { ErrorsOutsideTests } from './test/errors.outside.ts'
import { LongestFirst } from './test/longest-first.ts'
import { isLong } from './test/size.ts'

// One migrated template database is made per run and cloned by the test files that need one.
const globalSetup = ['test/global-setup.ts'].filter((file) => existsSync(file))

// As many as the cores of CI: with twice as many, contention costs a third more CPU time for the same tests.
const maxWorkers = 2

export default defineConfig({
  test: {
    reporters: ['default', 'json', new ErrorsOutsideTests()],
    outputFile: { json: '.cache/vitest.json' },
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          pool: 'forks',
          maxWorkers,
          // Files share processes, and Node.js imports the sources itself: imports took half of the CPU time
          // of many files.
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
          include: ['{src,contract,bench,bootstrap,ops}/**/*.test.ts', 'test/**/*.test.ts', '*.test.ts'],
          exclude: ['test/browser/**', '**/node_modules/**', ...(isLong ? [] : ['**/*.long.test.ts'])],
          // Patience, not a bound: what a test says of time it measures itself.
          testTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 180_000,
          globalSetup,
          setupFiles: ['test/cheap-passwords.ts', 'test/left.over.ts'],
        },
      },
      {
        extends: './vite.config.ts',
        root: '.',
        test: {
          name: 'web',
          environment: 'happy-dom',
          maxWorkers,
          isolate: false,
          // Style sheets are left empty in tests, except the one whose colours are tested.
          css: { include: [/tokens\.css/] },
          include: ['web/**/*.test.{ts,tsx}'],
          testTimeout: 30_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
})
