import { defineConfig } from '@playwright/test'
import { findChromium } from './test/run/programs.ts'

const executablePath = findChromium()

export default defineConfig({
  testDir: 'test/browser',
  outputDir: 'test-results',
  globalTeardown: './test/browser/teardown.ts',
  timeout: 180_000,
  forbidOnly: true,
  retries: 0,
  // The other tests run beside it on the two cores of CI: a second browser makes all of them slower.
  workers: 1,
  // Patience with a busy machine.
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: '.cache/playwright.json' }]],
  use: {
    browserName: 'chromium',
    // Words that are still being typed, and numbers still rolling, are nobody's contrast.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace takes a snapshot of the page at each step, which costs more CPU time than the steps.
    trace: process.env['TRACE'] === '1' ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      // The system's Chromium, which must talk to nobody but us.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
