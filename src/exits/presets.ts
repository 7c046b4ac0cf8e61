/**
 * The sellers whose logins Turnpike can write. Pure data and pure rules: gateways use them without a
 * database.
 */
import { brightData } from './presets/bright-data.ts'
import { dataimpulse } from './presets/dataimpulse.ts'
import { decodo } from './presets/decodo.ts'
import { evomi } from './presets/evomi.ts'
import { geonode } from './presets/geonode.ts'
import { infatica } from './presets/infatica.ts'
import { iproyal } from './presets/iproyal.ts'
import { nodemaven } from './presets/nodemaven.ts'
import { oxylabs } from './presets/oxylabs.ts'
import { packetstream } from './presets/packetstream.ts'
import type { Level, Preset } from './presets/preset.ts'
import { proxySeller } from './presets/proxy-seller.ts'
import { soax, soaxPackages } from './presets/soax.ts'
import { thordata } from './presets/thordata.ts'
import { webshare } from './presets/webshare.ts'

export { upstreamLogin, type UpstreamLogin, type UpstreamSession } from './login.ts'
export type { Level, Meaning, Preset } from './presets/preset.ts'

/** All presets, in the order of their names. */
export const presets: readonly Preset[] = [
  brightData,
  dataimpulse,
  decodo,
  evomi,
  geonode,
  infatica,
  iproyal,
  nodemaven,
  oxylabs,
  packetstream,
  proxySeller,
  soax,
  soaxPackages,
  thordata,
  webshare,
]

/** The preset of that name, or undefined. */
export function findPreset(name: string): Preset | undefined {
  return presets.find((preset) => preset.name === name)
}

/** The levels that logins of a seller may contain. */
export const levelsOf = (preset: Preset): Level[] =>
  (['country', 'state', 'city', 'zip', 'asn', 'excludedAsn'] as const).filter(
    (level) => preset[level] !== null,
  )

/** The facts about a seller, as data for the operator. */
export function presetFacts(preset: Preset) {
  const { name, title, http, socks5, carrier, session } = preset
  return {
    name,
    title,
    http,
    socks5,
    sticky_ports: preset.stickyPorts,
    settings_in: carrier,
    username_example: preset.username?.example ?? null,
    levels: levelsOf(preset),
    several_countries: preset.country?.several != null,
    never_together: preset.apart,
    session_minutes:
      session === null ? null : { min: session.minutes?.min ?? null, max: session.minutes?.max ?? null },
    options: Object.fromEntries(Object.entries(preset.options).map(([key, { meaning }]) => [key, meaning])),
  }
}
