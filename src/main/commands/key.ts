/** turnpike key: replaces SECRET_KEY, and accepts the loss of one. */
import type { Command } from 'commander'
import { acceptSecretKey, type SealedCount } from '#db/sealed'
import { replaceKeyFile } from '#lib/secret'
import { resealEverything, sealedCounts, unopenedNames } from '../keys/keys.ts'
import { openUnchecked, type Services } from '../services.ts'
import { CommandFault, json, print, printJson, settings, withServices } from './terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from './terminal/confirm.ts'
import { recordDone, recorded } from './terminal/recorded.ts'

const subject = { kind: 'key', id: 'SECRET_KEY' } as const

export function keyCommands(turnpike: Command): void {
  const key = turnpike.command('key').description('the key that encrypts secrets in the database')
  key
    .command('check', { isDefault: true })
    .addOption(json())
    .description('how many secrets are encrypted, with which key, and which cannot be decrypted')
    .action((asked: { json?: boolean }) =>
      withAnyKey(async ({ database, secrets }) => {
        const counts = await sealedCounts(database, secrets)
        if (asked.json) printJson(counts)
        else for (const count of counts) print(lineOf(count))
        if (counts.some(({ unopened }) => unopened > 0)) process.exitCode = 1
      }),
    )
  asking(key.command('rotate'))
    .addOption(json())
    .description(
      'encrypt with SECRET_KEY what SECRET_KEY_OLD encrypted; where the key is in DATA_DIR, the first run creates the new one',
    )
    .action(rotate)
  asking(key.command('accept-loss'))
    .addOption(json())
    .description('delete the secrets that the present key cannot decrypt, when the right key is lost')
    .action(acceptLoss)
}

/** Like `withServices`, but also with a key that is not the database's. */
async function withAnyKey(work: (services: Services) => Promise<void>): Promise<void> {
  const services = await openUnchecked(await settings(), 'guest')
  try {
    await work(services)
  } finally {
    await services.database.close()
  }
}

function lineOf(count: SealedCount): string {
  const { what, all, old, unopened } = count
  const names = unopened === 0 ? '' : ` (${unopenedNames(count)})`
  return `${what}: ${all}, of which ${old} with the old key, and ${unopened} do not open${names}.`
}

async function rotate(asked: ConfirmOptions): Promise<void> {
  const { secretKey, dataDir } = await settings()
  await withServices(async (services) => {
    const { database, secrets } = services
    if (!secrets.hasOldKey) {
      if (secretKey !== null)
        throw new CommandFault(
          'Set SECRET_KEY to the new key and SECRET_KEY_OLD to the present one, restart every part of Turnpike, and run this again.',
        )
      const isMeant = await mayProceed(
        [`A new key will be made in ${dataDir}/secret; the present one stays beside it as secret.old.`],
        asked,
      )
      if (!isMeant) return
      replaceKeyFile(dataDir)
      await recordDone(database, { action: 'make_key', subject })
      const next = 'Restart every part of Turnpike, so that it knows both keys. Then run this again.'
      return asked.json ? printJson({ made: true, next }) : print(`A new key is made. ${next}`)
    }
    const counts = await sealedCounts(database, secrets)
    const isMeant = await mayProceed(
      [
        ...counts.map(lineOf),
        'What the old key has sealed will be sealed with the new one. Every part of Turnpike must have been restarted with both keys.',
      ],
      asked,
    )
    if (!isMeant) return
    const done = await resealEverything(database, secrets)
    await recordDone(database, { action: 'rotate_key', subject, after: done })
    const old =
      secretKey === null ? `delete ${dataDir}/secret.old` : 'remove SECRET_KEY_OLD from the settings'
    const next = `Nothing needs the old key any more. Once turnpike doctor agrees, ${old} and restart. Keep the old key with the backups that were made with it.`
    if (asked.json) return printJson({ resealed: done, next })
    for (const { what, resealed } of done) print(`${what}: ${resealed} sealed anew.`)
    return print(next)
  })
}

async function acceptLoss(asked: ConfirmOptions): Promise<void> {
  await withAnyKey(async ({ database, secrets }) => {
    const counts = await sealedCounts(database, secrets)
    const isMeant = await mayProceed(
      [
        ...counts.map(lineOf),
        'What does not open stays closed for good: set the logins of these exits anew, and customers reset their proxy passwords. The shop starts with the present key from then on.',
      ],
      asked,
    )
    if (!isMeant) return
    await recorded(
      database,
      (tx) => acceptSecretKey(tx, secrets),
      () => ({ action: 'accept_key_loss', subject, after: counts }),
    )
    if (asked.json) printJson({ accepted: true, sealed: counts })
    else print('The present key is now the one of this database.')
  })
}
