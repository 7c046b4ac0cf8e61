import { freePort } from '#test/ports'
import { startStack } from '#test/stack'
import { fakeTelegram } from '#test/telegram'
import { openTelegramDesk } from './telegram.desk.ts'

/**
 * A processor that never answers: its card is on the purchase page, and choosing it fails as with an
 * unreachable processor.
 */
const deadProcessor = {
  CRYPTOPAY_TOKEN: '1:of_no_account_at_all_whatever',
  CRYPTOPAY_API_BASE: 'http://127.0.0.1:9',
}

/**
 * Starts a whole Turnpike: the built pages, the server, the database, the gateway, the bot. Each worker of
 * the browser tests has one. Returns the function that stops it.
 */
export async function startBrowserStack(): Promise<() => Promise<void>> {
  const telegram = await fakeTelegram()
  const desk = await openTelegramDesk(telegram)
  const deskPort = await freePort()
  const stack = await startStack({
    DESK_LISTEN: `127.0.0.1:${deskPort}`,
    DESK_URL: `http://localhost:${deskPort}`,
    TRUST_PROXY: '127.0.0.1',
    // Tests of the gateway have more; an idle one takes CPU time for as long as the tests run.
    GATEWAY_WORKERS: '1',
    // Every region is this machine: the generator offers only regions with a host.
    GATEWAY_HOSTS: 'eur=127.0.0.1,usa=127.0.0.1,jpn=127.0.0.1',
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_BOT_NAME: telegram.botName,
    TELEGRAM_API_ROOT: telegram.apiRoot,
    ...deadProcessor,
  })
  process.env['TEST_ORIGIN'] = stack.origin
  process.env['TEST_DESK_URL'] = `http://localhost:${deskPort}`
  process.env['TEST_DATA_DIR'] = stack.dataDir
  process.env['TEST_PORT_BASE'] = String(stack.portBase)
  process.env['TEST_TELEGRAM'] = desk.origin
  return async () => {
    await stack.close()
    await desk.close()
    await telegram.close()
  }
}
