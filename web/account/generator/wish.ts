/** The settings from which lines are generated, as calls and presets contain them. */
import type { Input, Output } from '#contract/contract'
import { getProxyInput } from '../panel/lines.ts'
import type { Settings } from '../panel/settings.ts'

export type Preset = Output<'save_preset'>

/** The settings that lines are made from. */
export interface Wish {
  settings: Settings
  /** The number of a proxy user; null: the customer's own lines. */
  proxyUser: number | null
}

export const inputOf = ({ settings, proxyUser }: Wish): Input<'get_proxy'> => ({
  ...getProxyInput(settings),
  ...(proxyUser === null ? {} : { proxy_user: proxyUser }),
})

export function storedOf(wish: Wish): Input<'save_preset'>['settings'] {
  const { pool: _pool, ...settings } = inputOf(wish)
  return settings
}

export interface Restored extends Wish {
  /** The places and networks that are not offered now, as the preset names them. */
  missing: string[]
  /** Its proxy user is gone: the lines are the customer's own. */
  isUserGone: boolean
}
