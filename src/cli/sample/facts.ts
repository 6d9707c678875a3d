/** Short texts: facts, what goes into the history, and the context of today. */

export const ROUNDING = 'Invoices round each line to the cent, and then add. Tax is computed on the sum.'

export const WEATHER =
  'Windrose, the weather service, takes 60 requests a minute for each key. We ask once for each harbour, and keep it for an hour.'

export const SESSIONS = 'A harbour master stays logged in for 30 days, a sailor for 24 hours.'

export const INES = 'Ines wants a screen first, then two sentences about it.'

export const FREEZE = 'Until the season opens: mend, do not add. Ines decides about exceptions.'

export const UPGRADE_WEEK =
  'The week of the upgrade: dunlin went to Postgres 17 on a Sunday morning, with --link, down for less than four minutes.'

export const FREEZE_BEGINS =
  'The season opens soon. Features are frozen; what is left are repairs, and the demo at the harbour office.'

export const NIGHTS = 'Two weeks of watching at night: nobody woken, three short failures of others noted.'

export const ISSUE = 'Two boats in one berth: how it came about, and what refuses the second'

export const TASK = 'BER-231: the constraint against double bookings goes to production after a night on staging.'
