/** The calls for presets of the generator and their links, and the trial of a line. */
import { mostLinks, mostPresets } from '#contract/presets/rules'
import { seedDemoInventory } from '#inventory'
import { ensureAccess } from '#proxies'
import type { RefusalCode } from '#contract/refusals'
import type { Name } from '#contract/wire'
import type { Customer } from '../app.ts'
import type { CallRequest } from './request.ts'
import { askAtChangeLimit } from './change.limit.ts'
import type { Story } from './story.ts'

const as = 'anna_smith'
const settings = {
  anonymous: 'true',
  type: 'sticky',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 10,
  sessionttl: 30,
  countries: ['de'],
}

/** Each refusal of settings, with the fields that differ from valid settings. */
const bad: readonly (readonly [RefusalCode, Record<string, unknown>])[] = [
  ['invalid_quantity', { quantity: 10_001 }],
  ['invalid_sessionttl', { sessionttl: 10_001 }],
  ['invalid_anonymous', { anonymous: 'perhaps' }],
  ['unknown_location', { countries: ['zz'] }],
  ['contradictory_targeting', { included_asns: [7018], excluded_asns: [7018], countries: ['us'] }],
  ['user_not_found', { proxy_user: 7 }],
  ['user_country_denied', { proxy_user: 1, countries: ['us'] }],
  ['user_double_tariff', { proxy_user: 1, states: ['de_be'] }],
]
const caseOf = (code: string) => code.replaceAll('_', '-')

export async function presets(story: Story): Promise<void> {
  const customer = await story.customer(as)
  await seedDemoInventory(story.shop.database)
  await story.shop.buy(customer, { pool: 'residential', gb: 5 })
  const ask = async (call: Name, name: string, input: Record<string, unknown>, asked: CallRequest = {}) =>
    story.ask(call, name, { as, input, ...asked })
  const pool = 'residential'
  const rules = { denied_countries: ['us'], no_double_tariff: true }
  await customer.call('create_proxy_user', { pool, label: 'Client', ...rules })
  await ask('save_preset', 'success', { pool, label: 'Germany', settings })
  await ask('get_presets', 'success', {})
  await ask('change_preset', 'success', { number: 1, label: 'Prices in Germany' })
  await askAtChangeLimit(story, 'renew_preset_link', { as, input: { number: 1 } })
  await ask(
    'renew_preset_link',
    'success',
    { number: 1 },
    { learn: { 'token of a link': /lines\/([\w-]{43})/ } },
  )
  await ask('revoke_preset_link', 'success', { number: 1 })
  await customer.call('save_preset', { pool, label: 'Second', settings: settings as never })
  for (const [call, one] of [
    ['save_preset', { pool, label: 'x', settings }],
    ['change_preset', { number: 2, settings }],
  ] as const) {
    for (const [code, difference] of bad)
      await ask(call, caseOf(code), { ...one, settings: { ...settings, ...difference } }, { ends: code })
    const slots = { ...settings, format: 'hostname:port', proxy_user: 7 }
    await ask(call, 'user-needs-password', { ...one, settings: slots }, { ends: 'user_needs_password' })
    await ask(call, 'invalid-label', { ...one, label: ' ' }, { ends: 'invalid_label' })
    await ask(
      call,
      'preset-label-taken',
      { ...one, label: 'prices in germany' },
      { ends: 'preset_label_taken' },
    )
  }
  await ask('save_preset', 'no-subuser', { pool: 'mobile', label: 'x', settings }, { ends: 'no_subuser' })
  for (const call of ['change_preset', 'delete_preset', 'renew_preset_link', 'revoke_preset_link'] as const)
    await ask(call, 'preset-not-found', { number: 7777 }, { ends: 'preset_not_found' })
  await ask('delete_preset', 'success', { number: 2 })
  await limits(story, customer)
  await trials(story)
}

/** The refusals of a customer who has reached the limits of presets and links. */
async function limits(story: Story, customer: Customer): Promise<void> {
  const { db } = story.shop.database
  const { account_id } = await db.selectFrom('preset').select('account_id').executeTakeFirstOrThrow()
  const rows = Array.from({ length: mostPresets - 1 }, (_, index) => ({
    account_id,
    pool: 'residential',
    label: `Preset ${index}`,
    settings: JSON.stringify(settings),
    ...(index < mostLinks
      ? { link_sha256: Buffer.alloc(32, index + 1), link_made_at: story.shop.clock.now }
      : {}),
  }))
  await db.insertInto('preset').values(rows).execute()
  const input = { pool: 'residential', label: 'One more', settings }
  await story.ask('save_preset', 'too-many-presets', { as, input, ends: 'too_many_presets' })
  const link = { as, input: { number: 1 } }
  await story.ask('renew_preset_link', 'too-many-links', { ...link, ends: 'too_many_links' })
  // There are too few real places to exceed the size of a preset, so one place is repeated with blanks.
  const many = { ...settings, countries: Array.from({ length: 500 }, () => '        de        ') }
  for (const [call, more] of [
    ['save_preset', { pool: 'residential', label: 'Large' }],
    ['change_preset', { number: 1 }],
  ] as const) {
    const asked = { ...more, settings: many }
    await story.ask(call, 'preset-too-large', { as, input: asked, ends: 'preset_too_large' })
  }
  await db.deleteFrom('preset').where('label', 'like', 'Preset %').execute()
  await customer.call('get_presets', {})
}

/** An entry point that nobody can connect to. */
const nowhere = '255.255.255.255'

async function trials(story: Story): Promise<void> {
  const wish = { pool: 'residential', ...settings, region: 'jpn' }
  story.shop.services.settings.gateway.hosts.set('jpn', nowhere)
  await story.ask('try_line', 'success-gateway-unreachable', { as, input: wish })
  // Only one line is made from them, whatever the quantity.
  const judged = bad.filter(([code]) => code !== 'invalid_quantity')
  for (const [code, difference] of judged)
    await story.ask('try_line', caseOf(code), { as, input: { ...wish, ...difference }, ends: code })
  await story.ask('try_line', 'no-subuser', { as, input: { ...wish, pool: 'mobile' }, ends: 'no_subuser' })
  const { database, services } = story.shop
  const { account_id: accountId } = await database.db
    .selectFrom('preset')
    .select('account_id')
    .executeTakeFirstOrThrow()
  await ensureAccess(database.db, services.secrets, { accountId, pool: 'datacenter' })
  const poor = { ...wish, pool: 'datacenter' }
  await story.ask('try_line', 'no-traffic', { as, input: poor, ends: 'no_traffic' })
  await database.db
    .updateTable('access')
    .set({ password_sealed: Buffer.from('damaged') })
    .execute()
  await story.ask('try_line', 'proxy-password-unreadable', {
    as,
    input: wish,
    ends: 'proxy_password_unreadable',
  })
}
