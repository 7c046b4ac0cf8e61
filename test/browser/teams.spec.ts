/** The account of a team in two browsers: that of its owner, and that of a member who only looks. */
import { openDatabase } from '#db'
import { languagesFrom } from './screens.ts'
import { buy, expect, origin, signedIn, test, words } from './shop.ts'

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
    const text = (namespace: string, key: string, values: Record<string, string> = {}) =>
      (words(language, namespace)[key] ?? key).replace(
        /\{\{(\w+)\}\}/g,
        (_, name: string) => values[name] ?? '',
      )
    const owner = await signedIn(page, language)
    await buy(page, owner.token, { pool: 'residential', amount: 1 })
    const made = await page.request.post(`${origin()}/api/rpc/create_proxy_user`, {
      headers: { authorization: `Bearer ${owner.token}` },
      data: { pool: 'residential', label: 'Scraper', total_bytes: 1_000_000 },
    })
    expect(made.ok()).toBe(true)
    const context = await browser.newContext({ locale: language })
    const theirs = await context.newPage()
    const member = await signedIn(theirs, language)
    await join(owner.username, member.username)

    await theirs.goto(`${origin()}/account?tab=team`)
    await theirs.getByRole('button', { name: text('team', 'mine.actIn', { name: owner.username }) }).click()
    const banner = theirs.getByRole('region', { name: text('team', 'banner.title') })
    await expect(banner).toContainText(owner.username)
    const acts = (each: typeof page) => ({
      create: each.getByRole('button', { name: text('proxyUsers', 'create') }),
      freeze: each.getByRole('switch'),
      remove: each.getByRole('button', { name: text('proxyUsers', 'deleteOf', { label: 'Scraper' }) }),
      buy: each.getByRole('link', { name: text('userBtns', 'buy'), exact: true }),
    })
    await theirs.goto(`${origin()}/account?tab=proxyUsers`)
    await expect(theirs.getByRole('listitem', { name: 'Scraper' })).toBeVisible()
    for (const act of Object.values(acts(theirs))) await expect(act).toHaveCount(0)
    await page.goto(`${origin()}/account?tab=proxyUsers`)
    for (const act of Object.values(acts(page))) await expect(act.first()).toBeVisible()

    await page.goto(`${origin()}/account?tab=team`)
    await page.getByRole('button', { name: new RegExp(member.username) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: text('team', 'members.remove'), exact: true }).click()
    await expect(page.getByText(text('team', 'members.removed'))).toBeVisible()
    await theirs.reload()
    await expect(banner).toHaveCount(0)
    await expect(theirs.getByText(member.username).first()).toBeVisible()
    await context.close()
  })
