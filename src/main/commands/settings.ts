/** turnpike settings: the settings that can be changed while the shop runs. */
import { Argument, type Command } from 'commander'
import {
  parseSetting,
  printSetting,
  settingNames,
  type SettingName,
  shopSettings,
} from '#contract/desk/shop-settings'
import { changeSetting } from '#desk'
import { listSettings } from '#settings'
import { systemAuthor } from '#staff'
import type { Services } from '../services.ts'
import { CommandFault, json, print, printJson, printTable, withServices } from './terminal/command.ts'

interface CommandOptions {
  json?: boolean
}

export function settingsCommands(turnpike: Command): void {
  const settings = turnpike
    .command('settings')
    .description('limits, retention and notices that may change while the shop runs')
  settings
    .command('list', { isDefault: true })
    .addOption(json())
    .description('what is in force, and since when')
    .action((asked: CommandOptions) => withServices((services) => show(services, asked)))
  settings
    .command('set')
    .addArgument(new Argument('<name>').choices(settingNames))
    .argument('<value>', 'in the unit that `settings list` shows, or `default`')
    .requiredOption('--reason <text>', 'why; kept in the history and the audit trail')
    .addOption(json())
    .description('change a setting, at once and for all processes')
    .action((name: SettingName, value: string, asked: CommandOptions & { reason: string }) =>
      withServices(async (services) => {
        const { database, settings: own } = services
        const wanted = value === 'default' ? null : parseSetting(name, value)
        const { unit, least, most } = shopSettings[name]
        if (wanted === null && value !== 'default')
          throw new CommandFault(
            `${name} is a number of ${unitNames[unit]} from ${printSetting(name, least)} to ${printSetting(name, most)}, not “${value}”.`,
          )
        const order = { name, value: wanted, reason: asked.reason, pinned: own.pinned }
        const isChanged = await changeSetting(database.db, systemAuthor(), order, database.clock.now())
        if (asked.json) return show(services, asked)
        return print(isChanged ? `${name} is ${value} from now on.` : `${name} was so already.`)
      }),
    )
}

const unitNames = {
  flag: '(1: yes, 0: no)',
  gb: 'GB',
  usd: 'USD',
  minutes: 'minutes',
  hours: 'hours',
  users: 'users',
  days: 'days',
  months: 'months',
} as const

async function show({ database, settings }: Services, asked: CommandOptions): Promise<void> {
  const known = await listSettings(database.db, settings.pinned)
  if (asked.json)
    return printJson(
      known.map(({ name, value, source, changed }) => ({
        name,
        value: printSetting(name, value),
        unit: shopSettings[name].unit,
        source,
        changed_at: changed?.at ?? null,
        changed_by: changed?.by ?? null,
      })),
    )
  const rows = known.map(({ name, value, source, changed }) => [
    name,
    printSetting(name, value),
    unitNames[shopSettings[name].unit],
    source === 'environment' ? (shopSettings[name].variable ?? '') : source,
    changed === null ? '' : `${changed.at.toISOString().slice(0, 16)} ${changed.by}`,
  ])
  return printTable(['SETTING', 'VALUE', 'UNIT', 'SOURCE', 'CHANGED'], rows, '')
}
