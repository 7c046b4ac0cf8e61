/** The letters about a person's data. */
import type { Writer } from './letter.ts'

export const erasureRequested: Writer<'erasure_requested'> = (_data, { brand, publicUrl }) => {
  const href = new URL('/account?tab=changePass', publicUrl).href
  return {
    ru: () => ({
      subject: `Запрос на удаление данных — ${brand}`,
      preview: 'Если это были не вы, отмените запрос.',
      heading: 'Вы попросили удалить ваши данные',
      paragraphs: [
        'Мы удалим их в течение месяца. До этого аккаунт работает как прежде, и запрос можно отменить на вкладке «Безопасность».',
        'После удаления войти будет нельзя, а остаток на балансе пропадёт. Счета и записи о платежах мы обязаны хранить, но вашего имени и адреса в них не останется.',
      ],
      facts: [],
      button: { label: 'Открыть аккаунт', href },
      notes: ['Если вы об этом не просили, отмените запрос и смените пароль: кто-то вошёл в ваш аккаунт.'],
    }),
    en: () => ({
      subject: `A request to erase your data — ${brand}`,
      preview: 'If it was not you, withdraw the request.',
      heading: 'You have asked us to erase your data',
      paragraphs: [
        'We will erase it within a month. Until then the account works as before, and you can withdraw the request on the Security tab.',
        'After that, no one can sign in, and anything left on the balance is lost. We have to keep invoices and payments, but without your name and address.',
      ],
      facts: [],
      button: { label: 'Open the account', href },
      notes: [
        'If you did not request this, withdraw it and change your password: another person is signed in to your account.',
      ],
    }),
  }
}

export const erasureDeclined: Writer<'erasure_declined'> = ({ reason }, { brand, publicUrl }) => {
  const href = new URL('/account?tab=changePass', publicUrl).href
  return {
    ru: () => ({
      subject: `Ваши данные пока не удалены — ${brand}`,
      preview: 'Мы не можем удалить их сейчас.',
      heading: 'Мы пока не удалили ваши данные',
      paragraphs: ['Вы просили удалить ваши данные. Сейчас мы этого сделать не можем. Причина:', reason],
      facts: [],
      button: { label: 'Открыть аккаунт', href },
      notes: [
        'Когда причина отпадёт, отправьте запрос ещё раз. Вы также можете обратиться в надзорный орган.',
      ],
    }),
    en: () => ({
      subject: `Your data has not been erased yet — ${brand}`,
      preview: 'We cannot erase it right now.',
      heading: 'We have not erased your data yet',
      paragraphs: ['You asked us to erase your data. We cannot do so right now. The reason:', reason],
      facts: [],
      button: { label: 'Open the account', href },
      notes: [
        'Send the request again once this reason no longer applies. You may also complain to the supervisory authority.',
      ],
    }),
  }
}

export const dataErased: Writer<'data_erased'> = (_data, { brand, publicUrl }) => ({
  ru: () => ({
    subject: `Ваши данные удалены — ${brand}`,
    preview: 'Это последнее письмо от нас.',
    heading: 'Ваши данные удалены',
    paragraphs: [
      'Мы удалили то, по чему вас можно узнать: имя, почту, Telegram, пароли, прокси, белые списки, записи о соединениях. Войти в аккаунт больше нельзя.',
      'Счета, платежи и объёмы трафика остались в книгах без вашего имени, как требует закон. Это последнее письмо; вашего адреса у нас больше нет.',
    ],
    facts: [],
    button: { label: 'Открыть сайт', href: new URL('/', publicUrl).href },
    notes: ['Если понадобится, зарегистрируйтесь заново: имя и почта свободны.'],
  }),
  en: () => ({
    subject: `Your data has been erased — ${brand}`,
    preview: 'This is our last e-mail.',
    heading: 'Your data has been erased',
    paragraphs: [
      'We have erased what identifies you: name, e-mail address, Telegram, passwords, proxies, whitelists, connection records. No one can sign in to the account any more.',
      'Invoices, payments and amounts of traffic stay in the books without your name, as the law requires. This is our last e-mail; we no longer have your address.',
    ],
    facts: [],
    button: { label: 'Open the site', href: new URL('/', publicUrl).href },
    notes: ['You are welcome to sign up again: the username and the e-mail address are available.'],
  }),
})
