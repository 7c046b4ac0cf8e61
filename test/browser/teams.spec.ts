/** The account of a team: what a member who only looks is offered, in two tabs, until the owner ends it. */
import { openDatabase } from '#db'
import { languagesFrom } from './screens.ts'
import { buy, expect, filled, origin, signedIn, test, words } from './shop.ts'

/** Makes a customer a member of the team of another. */
async function join(team: string, member: string): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  await database.pool.query(
    `insert into team_member (team_id, member_id, role, joined_at)
     select team.id, member.id, 'viewer', now() from account team, account member
     where team.username = $1 and member.username = $2`,
    [team, member],
  )
  await database.close()
}

for (const language of languagesFrom('en'))
  test(`a member who only looks is offered no acts, until the owner ends the membership (${language})`, async ({
    page,
    browser,
  }) => {
    const text = (key: string, values: Record<string, string> = {}) => {
      const [namespace = '', name = ''] = key.split(':')
      const found = words(language, namespace)[name] ?? key
      return filled(found, values)
    }
    const owner = await signedIn(page, language)
    await buy(page, owner.token, { pool: 'residential', amount: 1 })
    for (const [call, data] of [
      ['create_proxy_user', { pool: 'residential', label: 'Scraper', total_bytes: 1_000_000 }],
      ['add_ip_to_whitelist', { pool: 'residential', ip: '45.47.0.1' }],
    ] as const) {
      const headers = { authorization: `Bearer ${owner.token}` }
      expect((await page.request.post(`${origin()}/api/rpc/${call}`, { headers, data })).ok()).toBe(true)
    }
    const context = await browser.newContext({ locale: language })
    const theirs = await context.newPage()
    const member = await signedIn(theirs, language)
    await join(owner.username, member.username)

    const second = await context.newPage()
    await second.goto(`${origin()}/account?tab=proxyUsers`)
    await theirs.goto(`${origin()}/account?tab=team`)
    await theirs.getByRole('button', { name: text('team:mine.actIn', { name: owner.username }) }).click()
    for (const each of [theirs, second])
      await expect(each.getByRole('region', { name: text('team:banner.title') })).toContainText(
        owner.username,
      )

    const button = (name: string) => (each: typeof page) => each.getByRole('button', { name, exact: true })
    const places = [
      ['proxyUsers', 'Scraper', button(text('proxyUsers:create'))],
      ['proxyUsers', 'Scraper', (each: typeof page) => each.getByRole('switch')],
      ['whitelist', '45.47.0.1', button(text('userPanel:whitelist.add'))],
      ['whitelist', '45.47.0.1', button(text('userPanel:whitelist.remove', { ip: '45.47.0.1' }))],
      ['limits', text('userPanel:limits.day'), button(text('userPanel:limits.save'))],
    ] as const
    for (const [tab, shown, act] of places)
      for (const [each, count] of [
        [page, 1],
        [theirs, 0],
      ] as const) {
        const address = `${origin()}/account?tab=${tab}`
        if (each.url() !== address) await each.goto(address)
        await expect(each.getByText(shown).first()).toBeVisible()
        await expect(act(each)).toHaveCount(count)
      }
    await expect(theirs.getByRole('link', { name: text('userBtns:buy'), exact: true })).toHaveCount(0)
    await theirs.goto(`${origin()}/account?tab=limits`)
    await expect(theirs.getByLabel(text('userPanel:limits.day'))).toBeDisabled()

    await page.goto(`${origin()}/account?tab=team`)
    await page.getByRole('button', { name: new RegExp(member.username) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: text('team:members.remove'), exact: true }).click()
    await expect(page.getByText(text('team:members.removed'))).toBeVisible()
    await theirs.goto(`${origin()}/account`)
    await expect(theirs.getByRole('region', { name: text('team:banner.title') })).toHaveCount(0)
    await expect(theirs.getByText(member.username).first()).toBeVisible()
    await context.close()
  })
