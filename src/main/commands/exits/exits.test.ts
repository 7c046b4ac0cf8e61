import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listExits } from '#exits'
import { type App, app } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { type Peer, startPeer } from '#test/peers'
import { openTerminal, type Terminal } from '#test/terminal'
import { secretsOf } from '#lib/secret'
import { exitsCommands } from './exits.ts'

const secretKey = 'a key of the tests, long enough to be one'
let shop: App
let origin: Origin
let peer: Peer
let terminal: Terminal

beforeAll(async () => {
  ;[shop, origin, peer] = await Promise.all([app(), startOrigin(), startPeer('microsocks')])
  terminal = openTerminal(shop.database, [exitsCommands])
  vi.stubEnv('SECRET_KEY', secretKey)
  vi.stubEnv('GATEWAY_ALLOW', '127.0.0.1')
  await shop.database.db.deleteFrom('exit').execute()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  terminal.close()
  await Promise.all([shop.close(), origin.close(), peer.stop()])
})

/** What `turnpike exits …` prints. */
const run: Terminal['run'] = (...words) => terminal.run('exits', ...words)
const data = async (...words: string[]) => (await terminal.data('exits', ...words)) as Record<string, unknown>
const feed = () => listExits(shop.database.db, secretsOf(secretKey))

/** A seller's exit, with a password and an option. */
const seller = `add residential di --preset dataimpulse --http --username abc123 --password s3cret`
  .split(' ')
  .concat('--option anon=1 --everywhere --max-connections 500'.split(' '))

describe('turnpike exits', () => {
  it('adds a seller’s exit with its own address, seals its password, and never shows it', async () => {
    const added = await data(...seller)
    expect(added).toMatchObject({
      host: 'gw.dataimpulse.com',
      port: 823,
      has_password: true,
      everywhere: true,
    })
    expect(JSON.stringify(added)).not.toContain('s3cret')
    const [exit] = await feed()
    expect(exit).toMatchObject({
      preset: 'dataimpulse',
      options: { anon: '1' },
      password: 's3cret',
      max_connections: 500,
      places: null,
    })
    expect(await run('list')).toMatch(
      /residential +di +http gw\.dataimpulse\.com:823 +dataimpulse +1 +500 +- +everywhere +yes/,
    )
  })

  it('changes only the given settings, and disables the exit', async () => {
    await run('set', 'di', '--weight', '7', '--countries', 'us,de', '--disable')
    expect(await feed()).toEqual([])
    await run('set', 'di', '--enable', '--max-connections', 'none', '--tls')
    const [exit] = await feed()
    expect(exit).toMatchObject({
      weight: 7,
      max_connections: null,
      tls: true,
      password: 's3cret',
      username: 'abc123',
    })
    expect(exit?.places?.map(({ country }) => country).toSorted()).toEqual(['de', 'us'])
    expect(await run('list')).toContain('2 in de us')
  })

  it('accepts connections ahead of customers for proxies only', async () => {
    expect(await data('set', 'di', '--warm', '8')).toMatchObject({ warm_connections: 8 })
    expect((await feed())[0]).toMatchObject({ warm_connections: 8 })
    expect(await run('list')).toMatch(/ dataimpulse +7 +- +8 +/)
    await expect(run('set', 'di', '--warm', '33')).rejects.toThrow('32')
    await expect(run('add', 'mobile', 'own', '--direct', '--everywhere', '--warm', '1')).rejects.toThrow(
      'Only connections to a proxy',
    )
    await run('set', 'di', '--warm', '0')
    expect((await feed())[0]).toMatchObject({ warm_connections: 0 })
  })

  it('reads places from a file, and names the line that is wrong', async () => {
    const file = path.join(terminal.dataDir, 'places.csv')
    writeFileSync(file, 'country,city,asn\r\nus,us_ny_new_york,7922\r\n\r\nde,,\r\n')
    await run('set', 'di', '--places', file)
    expect((await feed())[0]?.places).toEqual(
      expect.arrayContaining([
        { country: 'us', state: null, city: 'us_ny_new_york', zip: null, asn: 7922 },
        { country: 'de', state: null, city: null, zip: null, asn: null },
      ]) as unknown,
    )
    for (const [text, sentence] of [
      ['country\nus\nUSA\n', 'Line 3'],
      ['country,asn\nus,AS1\n', 'Line 2'],
      ['country,asn\nus\n', 'Line 2'],
      ['land\nus\n', 'columns'],
      ['country\n', 'no place'],
    ] as const) {
      writeFileSync(file, text)
      await expect(run('set', 'di', '--places', file)).rejects.toThrow(sentence)
    }
    expect((await feed())[0]?.places).toHaveLength(2)
  })

  it.each([
    [['add', 'mobile', 'x', '--everywhere'], 'add --direct'],
    [['add', 'mobile', 'x', '--direct'], 'The places are missing'],
    [['add', 'mobile', 'x', '--http', '--everywhere'], 'The address is missing'],
    [['add', 'mobile', 'x', '--http', '--preset', 'nobody', '--everywhere'], 'The address is missing'],
    [['add', 'mobile', 'x', '--http', 'h:1', '--preset', 'nobody', '--everywhere'], 'There is no preset'],
    [
      ['add', 'mobile', 'x', '--http', '--preset', 'oxylabs', '--username', 'shop', '--everywhere'],
      'customer-shop',
    ],
    [
      [
        'add',
        'mobile',
        'x',
        '--http',
        '--preset',
        'oxylabs',
        '--username',
        'customer-a-cc-us',
        '--everywhere',
      ],
      'customer-shop',
    ],
    [
      [
        'add',
        'mobile',
        'x',
        '--socks5',
        'h:1',
        '--preset',
        'geonode',
        '--username',
        'geonode_a',
        '--everywhere',
      ],
      'SOCKS5',
    ],
    [
      ['add', 'mobile', 'x', '--http', 'h:1', '--option', 'a=b', '--everywhere'],
      'Options are those of a preset',
    ],
    [
      ['add', 'mobile', 'x', '--socks5', 'h:1', '--plain-http', 'forward', '--everywhere'],
      'Only an HTTP proxy',
    ],
    [['add', 'residential', 'di', '--direct', '--everywhere'], 'exit_name_taken'],
    [['set', 'di', '--option', 'speed=1'], 'no option speed'],
    [['set', 'di', '--socks5', 'h:1'], 'cannot be changed'],
    [['set', 'di'], 'No option names a change'],
    [['set', 'nobody', '--enable'], 'There is no exit nobody'],
    [['presets', 'nobody'], 'There is no preset'],
  ])('refuses %j with a sentence', async (words, sentence) => {
    await expect(run(...words)).rejects.toThrow(sentence)
  })

  it('lists the settings that the sellers support', async () => {
    expect(await run('presets')).toMatch(
      /dataimpulse +DataImpulse +country, state \(US\), city, zip, ASN, excluded ASN +1 to 120 min/,
    )
    expect(await run('presets', 'geonode')).toContain('not together  zip and ASN')
    expect(await data('presets', 'thordata')).toMatchObject({ session_minutes: { min: 1, max: 90 } })
  })

  it('tests an exit by fetching a page through it, and prints the exit’s message when that fails', async () => {
    const { username, password } = peer.login ?? { username: '', password: '' }
    const at = `127.0.0.1:${peer.port}`
    await run(
      'add',
      'mobile',
      'own',
      '--socks5',
      at,
      '--username',
      username,
      '--password',
      password,
      '--everywhere',
      '--disabled',
    )
    const url = `http://127.0.0.1:${origin.httpPort}/bytes/5000`
    expect(await data('test', 'own', url)).toMatchObject({ status: 200, bytes: 5000, username })
    expect(await run('test', 'own', url)).toMatch(/answered 200 after \d+ ms/)
    await run('set', 'own', '--password', 'wrong')
    await expect(run('test', 'own', url)).rejects.toThrow('exit_refused: the exit refused this gateway')
    await run('set', 'own', '--countries', 'us')
    await expect(run('test', 'own', url, '--line', 'cc-de')).rejects.toThrow('cannot serve that targeting')
    await expect(run('test', 'own', 'ftp://127.0.0.1/')).rejects.toThrow('Only http')
    await run('add', 'datacenter', 'here', '--direct', '--everywhere')
    expect(await data('test', 'here', url)).toMatchObject({ status: 200, username: null })
  })

  it('removes one, by its number when several have the name', async () => {
    await run('add', 'datacenter', 'own', '--direct', '--bind', '127.0.0.1', '--everywhere')
    await expect(run('remove', 'own')).rejects.toThrow(
      /Several exits are called own; say the number of one: \d+ \(mobile\), \d+/,
    )
    const known = JSON.parse(await run('list', '--json', '--pool', 'mobile')) as { id: number }[]
    await expect(run('remove', String(known[0]?.id))).rejects.toThrow('Add --yes to do it.')
    expect(await run('remove', String(known[0]?.id), '--dry-run')).toContain('own of mobile')
    expect((await feed()).map(({ name }) => name)).toContain('own')
    await run('remove', String(known[0]?.id), '--yes')
    await run('remove', 'own', '--yes')
    expect((await feed()).map(({ name }) => name).toSorted()).toEqual(['di', 'here'])
  })
})
