"""Text in older encodings: told by the letters that it spells."""

from __future__ import annotations

import pytest

from multigene.data.legacy_text import legacy_text

SAMPLES = [
    ("cp1252", "straße;größe\nMünchen;3\nKöln;4"),
    ("cp1252", "ville;département\nNeufchâtel;3\nBéziers;2\nNîmes;1"),
    ("cp1252", "año;población\nCádiz;3\nMálaga;2"),
    ("cp1252", "by;værdi\nKøbenhavn;3\nÅrhus;4"),
    ("cp1252", "città;età\nForlì;2\nCantù;3"),
    ("cp1252", "temp [°C];Preis €\n3;4"),
    ("cp1252", "São Paulo;região\nGoiânia;1\nMaceió;2"),
    ("cp1252", "café;x\n1;2"),
    ("cp1250", "miasto;liczba\nŁódź;3\nKraków;4\nWrocław;5\nPoznań;6"),
    ("cp1250", "miasto;x\nKraków;1\nŁomża;2"),
    ("cp1250", "město;počet\nPlzeň;3\nČeské Budějovice;4\nKrálův Dvůr;5"),
    ("cp1250", "város;népesség\nGyőr;3\nFertőd;4\nSzűcs;2"),
    ("cp1251", "город;цена\nМосква;3\nКазань;4"),
    ("koi8-r", "город;цена\nМосква;3\nКазань;4"),
    ("cp1253", "πόλη;τιμή\nΑθήνα;3\nΠάτρα;4"),
    ("cp1254", "şehir;nüfus\nİstanbul;3\nDiyarbakır;4\nMuğla;2"),
    ("shift_jis", "都市,気温\n東京,3\nさいたま,4\nよこはま,5"),
    ("euc_jp", "都市,人口\n東京,3\nさいたま,3\nなまえテスト,1"),
    ("gb18030", "城市,人口,价格\n北京,3,4\n上海,4,5\n广州,3,3"),
    ("cp949", "도시,인구,가격\n서울,3,4\n부산,4,5\n대구,3,3"),
    ("big5", "城市,人口,價格\n台北,3,4\n高雄,4,5\n臺中,3,3"),
]  # fmt: skip


@pytest.mark.parametrize(("encoding", "text"), SAMPLES)
def test_the_letters_of_a_language_tell_the_encoding(encoding: str, text: str) -> None:
    found, said = legacy_text(text.encode(encoding))
    assert found == text
    assert said.endswith("; --encoding says otherwise")


def test_lines_that_are_utf_8_stay_so() -> None:
    found, said = legacy_text("München\n".encode() + "Köln\n".encode("cp1252") + "Łódź".encode())
    assert found == "München\nKöln\nŁódź"
    assert said == "was read as Windows-1252; --encoding says otherwise"


def test_what_no_language_spells_is_said() -> None:
    assert (
        "looks wrong as Windows-1252; give --encoding" in legacy_text(bytes(range(0x80, 0x100)) + b"\n1,2")[1]
    )


@pytest.mark.parametrize(
    ("text", "encoding", "said"),
    [
        ("İstanbul\nŞişli", "cp1254", "Windows-1252, though it may be Windows-1254"),
        ("Müller\nGröße", "cp850", "looks wrong as Windows-1252; give --encoding, such as cp850"),
    ],
)
def test_what_a_few_letters_leave_open_is_said(text: str, encoding: str, said: str) -> None:
    assert said in legacy_text(text.encode(encoding))[1]


def test_characters_of_no_language_refute_an_encoding() -> None:
    assert legacy_text("溫度,濕度\n台北,高雄".encode("big5"))[0] == "溫度,濕度\n台北,高雄"
