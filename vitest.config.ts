import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

// One migrated template database is made per run and cloned by the test files that need one.
const globalSetup = ['test/global-setup.ts'].filter((file) => existsSync(file))

export default defineConfig({
  test: {
    reporters: ['default', 'json'],
    outputFile: { json: '.cache/vitest.json' },
    // One more than the two cores of CI: many tests wait for processes and clocks.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          pool: 'forks',
          include: ['{src,contract,bench,bootstrap,ops}/**/*.test.ts', 'test/**/*.test.ts', '*.test.ts'],
          exclude: ['test/browser/**', '**/node_modules/**'],
          // Patience, not a bound: what a test says of time it measures itself.
          testTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 180_000,
          globalSetup,
        },
      },
      {
        extends: './vite.config.ts',
        root: '.',
        test: {
          name: 'web',
          environment: 'happy-dom',
          // Style sheets are left empty in tests, except the one whose colours are tested.
          css: { include: [/tokens\.css/] },
          include: ['web/**/*.test.{ts,tsx}'],
          testTimeout: 30_000,
        },
      },
    ],
  },
})
