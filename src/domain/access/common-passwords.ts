/** The most frequent words in lists of stolen passwords, alone or followed by digits and signs. */
const WORDS = new Set(
  `abcdefghij abcdefghijk administrator admin adminadmin alexander anthony asdfasdf asdfghjkl asdfghjklzxcvbnm babygirl barcelona baseball
  basketball battlefield beautiful beyonce blahblah bismillah bonjour bubblegum butterfly california changeme changemenow charlie
  cheesecake chelsea chocolate christian christmas christopher computer cooldude corvette counterstrike danielle default dragon dragonball
  elizabeth enterprise everything facebook fernando football footballs football forever friendship fuckyou fuckyoufuckyou gamecube gamemaster
  generation goldmaster goodluck google grandtheft guest hello hellohello helloworld iloveyou iloveyoubaby iloveyousomuch internet isabella
  jennifer jessica jonathan kamikaze lastfm letmein letmeinnow linkedin liverpool lollipop lovelove loveyou madonna manchester
  mastermind masterpassword maverick mercedes metallica michael michelle microsoft midnight minecraft monkey mustang mypassword naruto nicholas
  nintendo opensesame pa$$word p@ssw0rd passpass passphrase password password1password passw0rd passwordpassword patricia perforce
  pikachu playstation pokemon portugal princess qazwsx qazwsxedc qazwsxedcrfv qwerasdf qwerasdfzxcv qwert qwerty qwertyqwerty qwertyui qwertyuiop
  qwertyuiopasdfghjkl qweasdzxc rockstar rockyou samsung samantha scorpion secret sebastian shadow skywalker slipknot snowboard
  starwars stephanie strawberry studio summer sunshine superman superstar sweetheart teamviewer test testtest testing thuglife
  trustno trustnoone unbelievable unreal unrealengine valentina victoria wednesday welcome welcomehome whatever william winter
  wordpass yourmom youtube zaq1xsw2 zaq12wsx zxcvbnm zxcvbnmasdfghjkl`.split(/\s+/),
)

/** Keyboard rows, the alphabet and digits: a part of one of these is a common password. */
const ROWS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujm',
].flatMap((row) => [row, [...row].reverse().join('')])

/** Whether a password is one that attackers try first. */
export function isCommon(password: string): boolean {
  const text = password.toLowerCase()
  if (new Set(text).size <= 2 || ROWS.some((row) => row.includes(text))) return true
  const word = text.replace(/^[\d\W_]+|[\d\W_]+$/g, '')
  return WORDS.has(text) || WORDS.has(word) || isRepeated(text)
}

/** `abc123abc123`: a part of at most six characters, repeated. */
const isRepeated = (text: string) => /^(.{1,6})\1+$/.test(text)
