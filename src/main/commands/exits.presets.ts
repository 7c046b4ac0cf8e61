/** turnpike exits presets: the sellers whose logins Turnpike can write. */
import type { Command } from 'commander'
import { findPreset, type Level, type Preset, presets } from '#exits/presets'
import { CommandFault, json, print, printJson, printTable } from './terminal/command.ts'

export function presetsCommand(exits: Command): void {
  exits
    .command('presets')
    .argument('[name]', 'one of them, with all that is known of it')
    .addOption(json())
    .description('the sellers whose logins Turnpike can write')
    .action((name: string | undefined, options: { json?: boolean }) => {
      if (name === undefined) return listAll(options.json === true)
      const preset = findPreset(name)
      if (preset === undefined) throw new CommandFault(`There is no preset ${name}.`)
      return options.json === true ? printJson(asJson(preset)) : showOne(preset)
    })
}

const levelNames: Record<Level, string> = {
  country: 'country',
  state: 'state (US)',
  city: 'city',
  zip: 'zip',
  asn: 'ASN',
  excludedAsn: 'excluded ASN',
}

const levelsOf = (preset: Preset): Level[] =>
  (['country', 'state', 'city', 'zip', 'asn', 'excludedAsn'] as const).filter(
    (level) => preset[level] !== null,
  )

function sessionText({ session }: Preset): string {
  if (session === null) return 'none'
  return session.minutes === null
    ? 'as long as it lasts'
    : `${session.minutes.min} to ${session.minutes.max} min`
}

function asJson(preset: Preset) {
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

function listAll(asData: boolean): void {
  if (asData) return printJson(presets.map(asJson))
  const rows = presets.map((preset) => [
    preset.name,
    preset.title,
    levelsOf(preset)
      .map((level) => levelNames[level])
      .join(', '),
    sessionText(preset),
  ])
  return printTable(['PRESET', 'SELLER', 'PLACES IT CAN NAME', 'SESSIONS'], rows, '')
}

function showOne(preset: Preset): void {
  const { title, http, socks5, carrier, username } = preset
  print(title)
  print(`  HTTP          ${http.host}:${http.port}`)
  print(`  SOCKS5        ${socks5 === null ? 'not known' : `${socks5.host}:${socks5.port}`}`)
  if (preset.stickyPorts !== null)
    print(`  sticky ports  ${preset.stickyPorts.join(' to ')} (not needed: sessions go by the login)`)
  print(`  user name     ${username === null ? 'none of its own' : `like ${username.example}`}`)
  print(`  settings in   the ${carrier}`)
  print(
    `  places        ${levelsOf(preset)
      .map((level) => levelNames[level])
      .join(', ')}`,
  )
  print(
    `  several       ${preset.country?.several == null ? 'one country at a time' : 'several countries at once'}`,
  )
  for (const pair of preset.apart)
    print(`  not together  ${pair.map((level) => levelNames[level]).join(' and ')}`)
  print(`  sessions      ${sessionText(preset)}`)
  for (const [key, { meaning }] of Object.entries(preset.options)) print(`  --option ${key}=…  ${meaning}`)
}
