import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

// One migrated template database is made per run and cloned by the test files that need one.
const globalSetup = ['test/global-setup.ts'].filter((file) => existsSync(file))

/** Fifty lives of a shop, in which being late counts: they have the machine to themselves, after everything else. */
const simulation = 'test/simulation/simulation.test.ts'

export default defineConfig({
  test: {
    reporters: ['default', 'json'],
    outputFile: { json: '.cache/vitest.json' },
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          pool: 'forks',
          include: ['{src,contract,bench,bootstrap,ops}/**/*.test.ts', 'test/**/*.test.ts', '*.test.ts'],
          exclude: ['test/browser/**', '**/node_modules/**', simulation],
          testTimeout: 30_000,
          hookTimeout: 180_000,
          globalSetup,
        },
      },
      {
        test: {
          name: 'simulation',
          environment: 'node',
          pool: 'forks',
          include: [simulation],
          sequence: { groupOrder: 1 },
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
          testTimeout: 10_000,
        },
      },
    ],
  },
})
