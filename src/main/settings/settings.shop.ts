/** The variables that take the place of settings which staff could change otherwise. */
import { parseSetting, printSetting, settingNames, shopSettings } from '#contract/desk/shop-settings'
import type { PinnedSettings } from '#settings'
import { type Env, SettingFault, text } from './settings.env.ts'

const units = {
  flag: '1 or 0',
  users: 'a whole number',
  gb: 'a whole number of GB',
  usd: 'an amount in USD such as 100',
  minutes: 'a whole number',
  hours: 'a whole number',
  days: 'a whole number',
  months: 'a whole number',
} as const

/** Reads them; throws `SettingFault` naming the first malformed one. */
export function readPinned(env: Env): PinnedSettings {
  const pinned: PinnedSettings = {}
  for (const name of settingNames) {
    const { variable, unit, least, most } = shopSettings[name]
    const given = variable === null ? null : text(env, variable)
    if (given === null) continue
    const value = parseSetting(name, given)
    if (value === null)
      throw new SettingFault(
        `${variable} must be ${units[unit]} from ${printSetting(name, least)} to ${printSetting(name, most)}, not “${given}”.`,
      )
    pinned[name] = value
  }
  return pinned
}
