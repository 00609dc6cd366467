import { describe, expect, it } from 'vitest'
import { diagnose } from '../diagnose.ts'
import { undecorated } from './symbol.ts'

const joins = (log: string, known: string) => {
  const { cause_keys } = diagnose(known)
  return diagnose(log).joins_keys.some((key) => cause_keys.includes(key))
}

const MSVC = "D:\\ws\\Source\\Game\\Roll.cpp(12): error C2065: 'Guard': undeclared identifier"

describe('one compile error', () => {
  const same = [
    ["D:\\ws\\Source\\Game\\Roll.cpp(12,9): error C2065: 'Guard': undeclared identifier", 'MSVC with a column'],
    [
      'E:\\agent 7\\My Game\\Source\\Game\\Roll.cpp(12): error C2065: „Guard“: nichtdeklarierter Bezeichner',
      'a blank in the path',
    ],
    ["D:\\ws\\Source\\Game\\Roll.cpp(12,9): error: use of undeclared identifier 'Guard'", 'clang in the style of MSVC'],
    ["/home/build agent/My Game/Source/Game/Roll.cpp:12:9: error: use of undeclared identifier 'Guard'", 'clang on Linux'],
    ["/ws/Source/Game/Roll.cpp:12: error: 'Guard' was not declared in this scope", 'GCC without a column'],
    ["../../../Source/Game/Roll.cpp:12:9: error: use of undeclared identifier 'Guard'", 'a relative path'],
    ["Roll.cpp(12,9): error: use of undeclared identifier 'Guard'", 'a name without its folder'],
    [
      "2>D:\\ws\\Source\\Game\\Roll.cpp(12,9): error : use of undeclared identifier 'Guard'",
      'a console compiler in Visual Studio',
    ],
    ["D:\\ws\\Source\\Game\\Roll.cpp(12): error C2146: syntax error: missing ';'", 'another error on the same line'],
    [
      "D:\\ws\\Source\\Game\\Roll.cpp(15): error C2065: 'Guard': undeclared identifier",
      'the same words after the line has moved',
    ],
  ] as const
  it.each(same)('is recognized: %s (%s)', (log) => {
    expect(diagnose(log)).toMatchObject({ category: 'compile_error', confidence: 'high' })
    expect(joins(log, MSVC)).toBe(true)
    expect(joins(MSVC, log)).toBe(true)
  })

  it.each([
    "D:\\ws\\Source\\Game\\Roll.cpp(13): error C2660: 'Guard': function does not take 2 arguments",
    "D:\\ws\\Source\\Menu\\Roll.cpp(12): error C2065: 'Guard': undeclared identifier",
    "D:\\ws\\Source\\Game\\Dice.cpp(12): error C2065: 'Guard': undeclared identifier",
    "Dice.cpp(12,9): error: use of undeclared identifier 'Guard'",
  ])('is not confused with another: %s', (log) => {
    expect(joins(log, MSVC)).toBe(false)
    expect(joins(MSVC, log)).toBe(false)
  })

  it('is not confused with a file of the same name in the Private folder of another module', () => {
    const at = (module: string, name: string) =>
      `D:\\ws\\Source\\${module}\\Private\\Roll.cpp(12): error C2065: '${name}': undeclared identifier`
    expect(joins(at('Game', 'Guard'), at('Game', 'Cup'))).toBe(true)
    expect(joins(at('Menu', 'Guard'), at('Game', 'Cup'))).toBe(false)
  })

  it('is recognized among several, whichever of them a parallel compiler prints first', () => {
    const first = "/ws/Source/Game/Roll.cpp:12:9: error: use of undeclared identifier 'Guard'"
    const second = "/ws/Source/Game/Dice.cpp:3:9: error: unknown type name 'Cup'"
    expect(joins(`${second}\n${first}`, `${first}\n${second}`)).toBe(true)
    // A second cause next to the first is a different one.
    expect(joins(`${second}\n${first}`, first)).toBe(false)
  })
})

describe('one missing symbol', () => {
  const LNK2019 =
    'Roll.cpp.obj : error LNK2019: unresolved external symbol "public: void __cdecl AHero::Fire(int)" (?Fire@AHero@@QEAAXH@Z) referenced in function "public: void __cdecl ARoll::Go(void)" (?Go@ARoll@@QEAAXXZ)'
  it.each([
    'Dice.cpp.obj : error LNK2001: unresolved external symbol "public: void __cdecl AHero::Fire(int)" (?Fire@AHero@@QEAAXH@Z)',
    'Dice.cpp.obj : error LNK2001: unresolved external symbol ?Fire@AHero@@QEAAXH@Z',
    'Dice.cpp.obj : error LNK2019: Verweis auf nicht aufgelöstes externes Symbol "public: void __cdecl AHero::Fire(int)" (?Fire@AHero@@QEAAXH@Z)',
    'lld-link: error: undefined symbol: public: void __cdecl AHero::Fire(int)\n>>> referenced by Roll.cpp:12',
    'ld.lld: error: undefined symbol: AHero::Fire(int)\n>>> referenced by Roll.cpp:12',
    'ld.lld: error: undefined symbol: _ZN5AHero4FireEi',
    "Roll.cpp:(.text+0x5): undefined reference to `AHero::Fire(int)'\ncollect2: error: ld returned 1 exit status",
    'Undefined symbols for architecture arm64:\n  "AHero::Fire(int)", referenced from:\n      ARoll::Go() in Roll.o\nld: symbol(s) not found for architecture arm64',
  ])('is recognized: %s', (log) => {
    expect(diagnose(log).category).toBe('link_error')
    expect(joins(log, LNK2019)).toBe(true)
    expect(joins(LNK2019, log)).toBe(true)
  })

  it('is not confused with another symbol, or with one that is defined twice', () => {
    expect(joins('ld.lld: error: undefined symbol: AHero::Aim(int)', LNK2019)).toBe(false)
    expect(joins('ld.lld: error: duplicate symbol: AHero::Fire(int)', LNK2019)).toBe(false)
    expect(
      joins(
        "a.o: multiple definition of `AHero::Fire(int)'; b.o: first defined here",
        'B.obj : error LNK2005: "public: void __cdecl AHero::Fire(int)" (?Fire@AHero@@QEAAXH@Z) already defined in A.obj',
      ),
    ).toBe(true)
  })

  it.each([
    ['?Fire@AHero@Game@@QEAAXH@Z', 'Game::AHero::Fire'],
    ['??0AHero@@QEAA@XZ', 'AHero::AHero'],
    ['??1AHero@@UEAA@XZ', 'AHero::~AHero'],
    ['_ZN5AHeroD1Ev', 'AHero::~AHero'],
    ['__ZNK4Game5AHero4FireEi', 'Game::AHero::Fire'],
    ['_Z4firev', 'fire'],
    ['__imp_fire', 'fire'],
    ['class UEnum * __cdecl StaticEnum<enum EForceInit>(void)', 'StaticEnum<EForceInit>'],
    ['private: static class UClass * AHero::Registration', 'AHero::Registration'],
    ['bool __cdecl Less::operator()(int,int)const ', 'Less::operator()'],
    ['void * __cdecl operator new(unsigned __int64)', 'operator new'],
  ])('the linker’s %s is %s in the source', (symbol, name) => {
    expect(undecorated(symbol)).toBe(name)
  })
})
