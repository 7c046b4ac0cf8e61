import { startStack } from '#test/stack'

/** One real Turnpike for the whole run: the built pages, the server, the database, the gateway. */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack({ TRUST_PROXY: '127.0.0.1' })
  process.env['TEST_ORIGIN'] = stack.origin
  process.env['TEST_DATA_DIR'] = stack.dataDir
  return () => stack.close()
}
