import { documents } from '../docs.ts'
import type { resellerSchemas } from './schemas.ts'

export const resellerDocs = documents<typeof resellerSchemas>()({
  reseller_token: {
    tag: 'Reselling',
    summary: { en: 'The API token', ru: 'Токен API' },
    about: {
      en: 'Creates the token on the first call and returns the same one afterwards. A session must have proved its owner within the last ten minutes, such as by the sign-in itself (`prove_owner`); the token need not. The owner is told of a new token by letter.',
      ru: 'Первый вызов создаёт токен, следующие возвращают его же. Сессия должна была подтвердить владельца за последние десять минут, например самим входом (`prove_owner`); от токена этого не требуется. О новом токене владельцу приходит письмо.',
    },
    input: {},
    output: 'tpr_4mJr1bq7XkTzV0cYd2nLw8sHf6gPa3eUo9iRxKvQtBM',
    refuses: ['token_unreadable', 'proof_needed', 'too_many_attempts'],
  },
  rotate_reseller_token: {
    tag: 'Reselling',
    summary: { en: 'Replace the API token', ru: 'Заменить токен API' },
    about: {
      en: 'The old token stops working before the call answers. A token may rotate itself; a session is asked as for `reseller_token`.',
      ru: 'Старый токен перестаёт работать ещё до ответа. Токен может заменить сам себя; от сессии требуется то же, что для `reseller_token`.',
    },
    input: {},
    output: 'tpr_Zt9cV1yKf5mNq3uXb7rLs2wHe8gPd0aJo6iTzRkQxYM',
    refuses: ['proof_needed', 'too_many_attempts'],
  },
  revoke_reseller_token: {
    tag: 'Reselling',
    summary: { en: 'Revoke the API token', ru: 'Отозвать токен API' },
    about: {
      en: 'Anyone who finds a lost token can revoke it with this call. `reseller_token` then creates a new one.',
      ru: 'Потерянный токен может отозвать этим вызовом любой, кто его нашёл. После этого `reseller_token` создаёт новый.',
    },
    input: {},
    output: true,
    refuses: [],
  },
})
