/** The pages around signing in: the code of the bot, the links of letters, a new password, a promo code. */
import { linkTo, turnpike } from './operator.ts'
import {
  buy,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'

const auth = words('ru', 'auth')
const english = words('en', 'auth')
const text = (of: Record<string, string>, key: string) => of[key] ?? `no text ${key}`

test('the pages around signing in are accessible in both themes at both widths', async ({ page }) => {
  test.setTimeout(240_000)
  const open = [
    '/login',
    '/register',
    '/telegram-login',
    '/forgot_password',
    '/reset_password',
    '/reset_password?reset_token=x',
    '/nowhere',
  ]
  const look = async (path: string) => {
    await page.goto(origin() + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expectAccessibleEverywhere(page, { isPage: true })
  }
  for (const path of open) await look(path)
  await signedIn(page)
  await look('/promocode')
})

test.describe('/telegram-login', () => {
  test('explains an invalid code in Russian', async ({ page }) => {
    await page.goto(`${origin()}/telegram-login`)
    const submit = page.getByRole('button', { name: 'Войти', exact: true })
    const field = page.getByLabel(text(auth, 'telegram.code'))
    await expect(field).toBeFocused()
    for (const [code, sentence] of [
      ['', 'Введите код из бота'],
      ['12ab', 'Неверный код'],
      ['123456', 'Код не найден'],
    ] as const) {
      await field.fill(code)
      await submit.click()
      await expect(
        page.getByRole('region', { name: 'Уведомления' }).getByText(sentence, { exact: true }),
      ).toBeVisible()
      // It moves from the notification to the field: it is on the screen once.
      await expect(page.getByText(sentence, { exact: true })).toHaveCount(1)
      await expect(page.getByRole('main').getByText(sentence, { exact: true })).toBeVisible()
      await expect(page.getByText(sentence, { exact: true })).toHaveCount(1)
    }
    await expectAccessible(page)
  })

  test('links back to /login, and to the bot in a new tab', async ({ page }) => {
    await page.goto(`${origin()}/login`)
    await page.getByRole('link', { name: text(auth, 'login.telegram') }).click()
    await expect(page).toHaveURL(`${origin()}/telegram-login`)
    await expect(page.getByRole('link', { name: text(auth, 'telegram.bot') })).toHaveAttribute(
      'target',
      '_blank',
    )
    await page.getByRole('link', { name: text(auth, 'telegram.back') }).click()
    await expect(page).toHaveURL(`${origin()}/login`)
  })
})

test.describe('/confirm_email', () => {
  test('without a token redirects to the home page with an error', async ({ page }) => {
    await page.goto(`${origin()}/confirm_email`)
    await expect(page).toHaveURL(`${origin()}/`)
    await expect(page.getByText(text(auth, 'confirm.invalid'))).toBeVisible()
  })

  test('with a wrong token redirects to the home page with an error, in English too', async ({ page }) => {
    await page.goto(origin())
    await page.evaluate(() => localStorage.setItem('lang', 'en'))
    await page.goto(`${origin()}/confirm_email?confirmation_token=${'a'.repeat(43)}`)
    await expect(page).toHaveURL(`${origin()}/en`)
    await expect(page.getByText('Failed to confirm email')).toBeVisible()
    expect(text(english, 'confirm.invalid')).toBe('Invalid confirmation link')
  })

  test('with the token of the letter redirects to /login with a success message', async ({ page }) => {
    const username = `confirm${Date.now()}`
    const email = `${username}@example.com`
    await page.request.post(`${origin()}/api/rpc/signup`, {
      data: { username, email, password: 'a long password' },
    })
    await page.goto(await linkTo(email, '/confirm_email'))
    await expect(page).toHaveURL(`${origin()}/login`)
    await expect(page.getByText(text(auth, 'confirm.success'))).toBeVisible()
  })
})

test('a forgotten password is replaced by the link of a letter', async ({ page }) => {
  const username = `forgot${Date.now()}`
  const email = `${username}@example.com`
  await page.request.post(`${origin()}/api/rpc/signup`, {
    data: { username, email, password: 'the first password' },
  })
  await page.goto(`${origin()}/login`)
  await page.getByRole('link', { name: text(auth, 'login.forgot') }).click()
  const field = page.getByLabel(text(auth, 'forgot.email'))
  await page.getByRole('button', { name: text(auth, 'forgot.submit') }).click()
  await expect(page.getByText(text(auth, 'errors.fillField'))).toBeVisible()
  await field.fill('nobody')
  await field.press('Enter')
  await expect(page.getByText(text(auth, 'errors.invalidEmail'))).toBeVisible()
  await field.fill(email)
  await field.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(text(auth, 'forgot.sentHeading'))
  await expectAccessible(page)

  await page.goto(await linkTo(email, '/reset_password'))
  await page.getByLabel(text(auth, 'reset.password'), { exact: true }).fill('short')
  await page.getByLabel(text(auth, 'reset.repeat')).fill('different')
  await page.getByRole('button', { name: text(auth, 'reset.submit') }).click()
  await expect(page.getByText(text(auth, 'errors.shortPassword'))).toBeVisible()
  await expect(page.getByText(text(auth, 'errors.passwordsDiffer'))).toBeVisible()
  await page.getByLabel(text(auth, 'reset.password'), { exact: true }).fill('the second password')
  await page.getByLabel(text(auth, 'reset.repeat')).fill('the second password')
  await page.getByRole('button', { name: text(auth, 'reset.submit') }).click()
  await expect(page).toHaveURL(`${origin()}/login`)
  await page.getByLabel(text(auth, 'login.name')).fill(username)
  await page.getByLabel(text(auth, 'login.password'), { exact: true }).fill('the second password')
  await page.getByRole('button', { name: text(auth, 'login.submit'), exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/account`)
})

test('a used link for a new password is refused, and another is offered', async ({ page }) => {
  await page.goto(`${origin()}/reset_password?reset_token=${'a'.repeat(43)}`)
  await page.getByLabel(text(auth, 'reset.password'), { exact: true }).fill('some long password')
  await page.getByLabel(text(auth, 'reset.repeat')).fill('some long password')
  await page.getByRole('button', { name: text(auth, 'reset.submit') }).click()
  await page.getByRole('link', { name: text(auth, 'reset.request') }).click()
  await expect(page).toHaveURL(`${origin()}/forgot_password`)
})

test.describe('/promocode', () => {
  const promocode = words('ru', 'promocode')

  test('requires a signed-in user', async ({ page }) => {
    await page.goto(`${origin()}/promocode`)
    await expect(page).toHaveURL(`${origin()}/login`)
  })

  test('credits the traffic of a code, once, and explains the refusal of any other', async ({ page }) => {
    const code = `GIFT${Date.now()}`
    await turnpike('promo', 'create-traffic', code, '--pool', 'mobile', '--mb', '5000')
    const { token } = await signedIn(page)
    await buy(page, token, { pool: 'mobile', amount: 1 })
    await page.goto(`${origin()}/promocode`)
    const field = page.getByLabel(text(promocode, 'code'))
    const activate = page.getByRole('button', { name: text(promocode, 'submit') })
    const main = page.getByRole('main')
    await activate.click()
    await expect(main.getByText(text(promocode, 'enter'))).toBeVisible()
    await field.fill('NO SUCH CODE')
    await activate.click()
    await expect(main.getByText(text(promocode, 'invalid'))).toBeVisible()
    await field.fill(` ${code.toLowerCase()} `)
    await field.press('Enter')
    await expect(main.getByRole('status')).toContainText(/5,00\sГБ/)
    await expect(main.getByRole('status')).toContainText(text(words('ru', 'header'), 'pools.mobile'))
    await expectAccessible(page)
    await main.getByRole('button', { name: text(promocode, 'again') }).click()
    await field.fill(code)
    await activate.click()
    await expect(main.getByText(text(promocode, 'used'))).toBeVisible()
    await page.getByRole('link', { name: text(words('ru', 'header'), 'back'), exact: true }).click()
    await expect(page).toHaveURL(`${origin()}/account`)
    await expect(page.getByRole('main')).toContainText(/6[.,]00/)
  })
})
