/** The home page: product.md sections 2 and 9 (tariffs). */
import { expect, origin, test, words } from './shop.ts'

const ru = words('ru', 'home')
const text = (key: string) => ru[key] ?? `no text ${key}`
const poolName = (pool: string) => words('ru', 'header')[`pools.${pool}`] ?? ''

test('the hero links to the purchase, and its line has the host of real lines', async ({ page }) => {
  await page.goto(origin())
  await expect(page.getByRole('link', { name: text('hero.buy') }).first()).toHaveAttribute(
    'href',
    '/purchase',
  )
  const builder = page.getByRole('region', { name: text('builder.heading') })
  const line = builder.getByText(new RegExp(`^${text('builder.line')}:`))
  await expect(line).toContainText(`@127.0.0.1:${process.env['TEST_PORT_BASE']}`)
  await builder.getByRole('combobox').selectOption({ label: 'Япония' })
  await expect(line).toContainText(/tp4k2m9x-cc-jp-sid-[0-9a-f]{6}-ttl-10:/)
  await builder.getByRole('radio', { name: text('builder.rotating') }).check({ force: true })
  await expect(line).toContainText(/tp4k2m9x-cc-jp:/)
})

test('the pool cards show prices and current numbers, the residential one first, and mark the demo’s as made up', async ({
  page,
}) => {
  await page.goto(origin())
  for (const [pool, price] of [
    ['residential', '3,50'],
    ['datacenter', '0,70'],
  ] as const) {
    const prices = page.getByRole('link', {
      name: text('features.choose').replace('{{pool}}', poolName(pool)),
    })
    const card = page.getByRole('listitem').filter({ has: prices })
    await expect(card).toContainText(price)
  }
  const first = page.getByRole('listitem').filter({ hasText: text('features.highlight') })
  await expect(first).toContainText(poolName('residential'))
  await expect(page.getByText(words('ru', 'header')['demo'] ?? 'no text')).toBeVisible()
})

test('tariffs are 1, 100, 300, 500 GB and 1 TB of the chosen pool, each with its discount and its purchase link', async ({
  page,
  request,
}) => {
  await page.goto(origin())
  const prices = (await (await request.get(`${origin()}/api/rpc/prices`)).json()) as Record<string, number>
  const amounts = [100, 300, 500, 1000]
  const calculated = await request.post(`${origin()}/api/rpc/calculate`, { data: { amounts } })
  const discounts = [0, ...((await calculated.json()) as number[])]
  const offer = page.getByRole('region', { name: text('pricing.heading') })
  await expect(offer.getByRole('radio', { name: poolName('residential'), exact: true })).toBeChecked()
  for (const pool of ['residential', 'mobile']) {
    await offer.getByText(poolName(pool), { exact: true }).click()
    const cards = offer.getByRole('listitem').filter({ has: page.locator('a[href^="/purchase"]') })
    await expect(cards).toHaveCount(5)
    for (const [index, gb] of [1, ...amounts].entries()) {
      const card = cards.nth(index)
      const discount = discounts[index] ?? 0
      const cost = ((prices[pool] ?? 0) * gb * (1 - discount)).toFixed(2).replace('.', ',')
      await expect(card.getByRole('heading')).toHaveText(gb === 1000 ? /^1\sТБ$/ : new RegExp(`^${gb}\\sГБ$`))
      await expect
        .poll(async () => ((await card.textContent()) ?? '').replace(/\s/g, ''))
        .toContain(`${cost}$`)
      if (discount > 0)
        await expect(card).toContainText(new RegExp(`скидка ${Math.round(discount * 100)}\\s%`))
      await expect(card.getByRole('link')).toHaveAttribute('href', `/purchase?amount=${gb}&pool=${pool}`)
    }
    await expect(offer.getByRole('listitem').filter({ hasText: text('pricing.recommended') })).toContainText(
      /100\sГБ/,
    )
    const advantage = page.getByRole('heading', { level: 3 }).filter({ hasText: `«${poolName(pool)}»` })
    await expect(advantage).toContainText((prices[pool] ?? 0).toFixed(2).replace('.', ','))
  }
})

test('larger amounts and questions link to the operator, outside the site', async ({ page, request }) => {
  await page.goto(origin())
  const site = (await (await request.get(`${origin()}/api/rpc/site`)).json()) as {
    links: Record<string, string | null>
  }
  await expect(page.getByRole('link', { name: text('pricing.enterprise.act') })).toHaveAttribute(
    'href',
    site.links['enterprise'] ?? site.links['support'] ?? 'no contact',
  )
  const contacts = page.locator('#contacts')
  for (const contact of ['bot', 'support', 'channel']) {
    const link = contacts.locator(`a[href="${site.links[contact]}"]`)
    await expect(link).toHaveAttribute('target', '_blank')
  }
})
