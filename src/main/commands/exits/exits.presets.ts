/** turnpike exits presets: sellers for whose logins Turnpike has a preset. */
import type { Command } from 'commander'
import { findPreset, type Level, levelsOf, type Preset, presetFacts, presets } from '#exits/presets'
import { CommandFault, json, print, printJson, printTable } from '../terminal/command.ts'

export function presetsCommand(exits: Command): void {
  exits
    .command('presets')
    .argument('[name]', 'one of them, with all that is known of it')
    .addOption(json())
    .description('sellers for whose logins Turnpike has a preset')
    .action((name: string | undefined, options: { json?: boolean }) => {
      if (name === undefined) return listAll(options.json === true)
      const preset = findPreset(name)
      if (preset === undefined) throw new CommandFault(`There is no preset ${name}.`)
      return options.json === true ? printJson(presetFacts(preset)) : showOne(preset)
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

function sessionText({ session }: Preset): string {
  if (session === null) return 'none'
  return session.minutes === null
    ? 'as long as it lasts'
    : `${session.minutes.min} to ${session.minutes.max} min`
}

function listAll(asData: boolean): void {
  if (asData) return printJson(presets.map(presetFacts))
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
  for (const [key, { meaning }] of Object.entries(preset.options)) print(`  --option ${key}=…  ${meaning.en}`)
}
