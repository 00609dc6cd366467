import type { Rule } from '../../rule.ts'

/** Messages of glibc, bash and Windows in German or Chinese; the English ones are with the tools that quote them. */
export const systemMessages: readonly Rule[] = [
  {
    id: 'disk.full-translated',
    tool: 'disk',
    category: 'out_of_disk',
    role: 'root',
    need: ['kein Speicherplatz mehr', 'Kein Speicherplatz mehr', 'nicht genug Speicherplatz', '设备上没有空间', '磁盘空间不足'],
    match: /[Kk]ein Speicherplatz mehr|nicht genug Speicherplatz auf dem Datenträger|设备上没有空间|磁盘空间不足/,
    score: 92,
    near: 0,
    examples: [
      { log: 'cp: Fehler beim Schreiben von »Game.pak«: Auf dem Gerät ist kein Speicherplatz mehr verfügbar', line: 1 },
      { log: 'tar: Game.pak: 无法 write: 设备上没有空间', line: 1 },
    ],
  },
  {
    id: 'memory.exhausted-translated',
    tool: 'memory',
    category: 'out_of_memory',
    role: 'root',
    need: ['Nicht genügend Hauptspeicher', 'Auslagerungsdatei ist zu klein', '无法分配内存', '页面文件太小'],
    match: /Nicht genügend Hauptspeicher verfügbar|Auslagerungsdatei ist zu klein|无法分配内存|页面文件太小/,
    score: 78,
    near: 0,
    examples: [{ log: 'fork: 无法分配内存', line: 1 }],
  },
  {
    id: 'lock.file-translated',
    tool: 'file lock',
    category: 'workspace_lock',
    role: 'root',
    need: ['von einem anderen Prozess verwendet', '另一个程序正在使用此文件', '正由另一进程使用'],
    match: /von einem anderen Prozess verwendet|另一个程序正在使用此文件|正由另一进程使用/,
    score: 74,
    near: 0,
    fix: 'End the process that holds the file, or give every build its own workspace.',
    examples: [
      {
        log: 'Der Prozess kann nicht auf die Datei zugreifen, da sie von einem anderen Prozess verwendet wird.',
        line: 1,
      },
      { log: '另一个程序正在使用此文件，进程无法访问。', line: 1 },
    ],
  },
  {
    id: 'network.translated',
    tool: 'network',
    category: 'network',
    role: 'root',
    need: ['Verbindungsaufbau abgelehnt', 'Wartezeit für die Verbindung', 'Namensauflösung', '拒绝连接', '连接超时', '域名解析'],
    match:
      /Verbindungsaufbau abgelehnt|Wartezeit für die Verbindung ist abgelaufen|(?:Temporärer )?Fehler (?:bei|in) der Namensauflösung|拒绝连接|连接超时|域名解析.{0,8}(?:失败|错误)/,
    score: 60,
    near: 0,
    examples: [
      { log: 'ssh: connect to host perforce port 22: Verbindungsaufbau abgelehnt', line: 1 },
      { log: 'curl: (7) Failed: 连接超时', line: 1 },
    ],
  },
  {
    id: 'shell.missing-translated',
    tool: 'shell',
    category: 'build_script_error',
    role: 'root',
    need: [
      'nicht gefunden',
      'Keine Berechtigung',
      'Zugriff verweigert',
      'konnte nicht gefunden werden',
      'nicht finden',
      '未找到命令',
      '没有那个文件或目录',
      '权限不够',
      '系统找不到指定的',
      '拒绝访问',
      '不是内部或外部命令',
    ],
    match:
      /^(?<msg>.*(?:(?:Befehl|Kommando|Datei oder Verzeichnis) nicht gefunden|Keine Berechtigung|Zugriff verweigert|falsch geschrieben oder konnte nicht gefunden werden|Das System kann (?:die angegebene Datei|den angegebenen Pfad) nicht finden|未找到命令|没有那个文件或目录|权限不够|系统找不到指定的(?:文件|路径)|拒绝访问|不是内部或外部命令).{0,60})$/,
    score: 58,
    near: 0,
    fix: 'Install what the script calls on the build machine, or correct its path: {msg}.',
    examples: [
      { log: './build.sh: Zeile 12: cd: ./hero: Datei oder Verzeichnis nicht gefunden', line: 1 },
      { log: 'Der Befehl "msbuild" ist entweder falsch geschrieben oder konnte nicht gefunden werden.', line: 1 },
      { log: './build.sh：行 12: cd: ./hero: 没有那个文件或目录', line: 1 },
      { log: "'msbuild' 不是内部或外部命令，也不是可运行的程序", line: 1 },
    ],
  },
]
