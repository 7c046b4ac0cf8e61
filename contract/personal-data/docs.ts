import { documents } from '../docs.ts'
import type { personSchemas } from './schemas.ts'

export const personDocs = documents<typeof personSchemas>()({
  personal_data: {
    tag: 'Account',
    summary: {
      en: 'Whether the erasure of your data is requested',
      ru: 'Запрошено ли удаление ваших данных',
    },
    input: {},
    output: { erasure_requested_at: null },
    refuses: [],
  },
  export_personal_data: {
    tag: 'Account',
    summary: { en: 'A link to all data about you', ru: 'Ссылка на все данные о вас' },
    about: {
      en: 'The link gives a ZIP file with JSON and CSV, once, within ten minutes. The password is needed where the account has one; otherwise a sign-in of the last ten minutes. Five times a day.',
      ru: 'По ссылке один раз и в течение десяти минут скачивается ZIP с JSON и CSV. Если у аккаунта есть пароль, нужен он, иначе — вход не старше десяти минут. Не больше пяти раз в день.',
    },
    input: { password: 'a long password' },
    output: {
      url: '/api/personal_data.zip?token=Zt9cV1yKf5mNq3uXb7rLs2wHe8gPd0aJo6iTzRkQxYM',
      expires_at: '2026-11-20T12:10:00.000Z',
    },
    refuses: ['fill_fields', 'wrong_password', 'sign_in_again', 'proof_needed', 'too_many_attempts'],
  },
  request_erasure: {
    tag: 'Account',
    summary: { en: 'Ask to have your data erased', ru: 'Попросить удалить ваши данные' },
    about: {
      en: 'It is done within a month; until then the request can be withdrawn, and the account works as before.',
      ru: 'Данные удаляются в течение месяца. До этого запрос можно отозвать, а аккаунт работает как обычно.',
    },
    input: { password: 'a long password' },
    output: { erasure_requested_at: '2026-11-20T12:00:00.000Z' },
    refuses: ['fill_fields', 'wrong_password', 'sign_in_again', 'proof_needed', 'too_many_attempts'],
  },
  withdraw_erasure: {
    tag: 'Account',
    summary: { en: 'Withdraw the request to erase your data', ru: 'Отозвать запрос на удаление данных' },
    input: {},
    output: { erasure_requested_at: null },
    refuses: [],
  },
})
