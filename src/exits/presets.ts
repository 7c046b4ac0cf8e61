/** The sellers whose logins Turnpike can write. Pure data and pure rules: gateways use them without a database. */
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
import type { Preset } from './presets/preset.ts'
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
